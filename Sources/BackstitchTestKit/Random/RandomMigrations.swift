public import Backstitch
public import Foundation

/// Opens a store with one version of a random model after another. Everything with a place in the new version must be
/// there, and nothing else.
///
/// ```swift
/// try await RandomMigrations.run(seed: 7, on: store)
/// ```
/// Entities, attributes and links are added, removed and renamed, and change their kinds, several at once. If a backend
/// migrates step by step, a column or a table may be read again by a later step. Pass `inspect` to compare the tables
/// with those of a store made with the new model.
public enum RandomMigrations {
    /// Runs `versions` migrations from `seed`.
    ///
    /// - Parameter inspect: Inspects the folder of the closed store after each migration. It gets the store's present
    ///   model.
    /// - Throws: ``ConformanceFailure`` with the seed and the version that lost or invented something; errors of
    ///   `inspect`.
    public static func run(
        seed: UInt64, versions: Int = 3, on store: StoreUnderTest,
        inspect: (URL, ManagedObjectModel) throws -> Void = { _, _ in }
    ) async throws {
        let bench = try TestBench(store)
        defer { try? bench.remove() }
        var random = SeededGenerator(seed: seed)
        var schema = RandomSchema(&random)
        var content = try await open(schema, &random, bench).left
        for version in 1...versions {
            schema.evolve(&random)
            let expected = content.limited(to: schema)
            let (found, left) = try await open(schema, &random, bench)
            guard found == expected else {
                throw ConformanceFailure(
                    description: "seed \(seed), version \(version): \(expected.difference(from: found))")
            }
            content = left
            try inspect(bench.folder, schema.model)
        }
    }

    /// Opens the store with the schema's model, and closes it. Returns the content found in it, and the content after
    /// some additions.
    private static func open(
        _ schema: RandomSchema, _ random: inout SeededGenerator, _ bench: TestBench
    ) async throws -> (found: SchemaContent, left: SchemaContent) {
        let container = try bench.container(schema.model)
        let (found, left, after) = try await container.perform { [random] context in
            var random = random
            let found = try SchemaContent(of: schema, in: context)
            try schema.addObjects(to: context, &random)
            try context.save()
            return (found, try SchemaContent(of: schema, in: context), random)
        }
        random = after
        try container.close()
        return (found, left)
    }
}

extension RandomSchema {
    /// Adds some objects of each entity, with values, and links between all objects.
    fileprivate func addObjects(to context: ManagedObjectContext, _ random: inout SeededGenerator) throws {
        for entity in entities {
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let object = try context.insertObject(entityName: entity.name)
                for attribute in entity.attributes where Int.random(in: 0..<5, using: &random) > 0 {
                    try object.setValue(attribute.type.randomValue(&random), forKey: attribute.name)
                }
            }
        }
        for link in links {
            let sources = try context.all(entity(link.ends[0].entity)?.name ?? "")
            let targets = try context.all(entity(link.ends[1].entity)?.name ?? "")
            for source in sources {
                if link.ends[0].isToMany {
                    let chosen = targets.filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
                    source[link.ends[0].name] = Set(chosen)
                } else {
                    source[link.ends[0].name] = targets.randomElement(using: &random)
                }
            }
        }
    }
}
