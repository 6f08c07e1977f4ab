public import Backstitch
public import Foundation

/// A store is opened with one version of a random model after another; what has a place in the new version must be
/// there, and nothing else.
///
/// ```swift
/// try await RandomMigrations.run(seed: 7, on: store)
/// ```
/// Entities, attributes and links come, go, and change their names and kinds, several at once: a backend that migrates
/// step by step meets a column or a table that a later step has to read. Give `inspect` to compare the tables with
/// those of a store that was made with the new model.
public enum RandomMigrations {
    /// Runs `versions` migrations from `seed`.
    ///
    /// - Parameter inspect: Looks at the folder of the closed store after each migration, given the model it has now.
    /// - Throws: ``ConformanceFailure`` with the seed and the version that lost or invented something; what `inspect`
    ///   throws.
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

    /// Opens the store with the schema's model, and closes it: what was found in it, and what it held after some
    /// additions.
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

/// The content of a store, by the identities of its schema's parts rather than by their names.
struct SchemaContent: Equatable, Sendable {
    /// By entity, key and attribute.
    private(set) var values: [Int: [ObjectKey: [Int: Value]]] = [:]
    /// By link and end: the keys at the other end.
    private(set) var links: [Int: [Int: [ObjectKey: Set<ObjectKey>]]] = [:]

    /// Reads all objects of the schema's entities.
    init(of schema: RandomSchema, in context: ManagedObjectContext) throws {
        for entity in schema.entities {
            values[entity.id] = [:]
            for object in try context.all(entity.name) {
                var row: [Int: Value] = [:]
                for attribute in entity.attributes { row[attribute.id] = try object.value(forKey: attribute.name) }
                values[entity.id]?[object.key] = row
            }
        }
        for link in schema.links {
            for (index, end) in link.ends.enumerated() {
                var targets: [ObjectKey: Set<ObjectKey>] = [:]
                for object in try context.all(schema.entity(end.entity)?.name ?? "") {
                    let found = try object.objects(atEnd: end)
                    if !found.isEmpty { targets[object.key] = found }
                }
                links[link.id, default: [:]][index] = targets
            }
        }
    }

    /// Returns the part that has a place in the schema; new attributes are nil everywhere.
    func limited(to schema: RandomSchema) -> SchemaContent {
        var result = self
        result.values = [:]
        result.links = [:]
        for entity in schema.entities {
            result.values[entity.id] = (values[entity.id] ?? [:]).mapValues { row in
                Dictionary(uniqueKeysWithValues: entity.attributes.map { ($0.id, row[$0.id] ?? .null) })
            }
        }
        for link in schema.links { result.links[link.id] = links[link.id] ?? [0: [:], 1: [:]] }
        return result
    }

    /// In words, for whom a test fails.
    func difference(from other: SchemaContent) -> String {
        for (entity, rows) in values where other.values[entity] != rows {
            return "entity \(entity) should hold \(rows), and holds \(other.values[entity] ?? [:])"
        }
        for (link, ends) in links where other.links[link] != ends {
            return "link \(link) should lead to \(ends), and leads to \(other.links[link] ?? [:])"
        }
        return "there is more than there should be: \(other)"
    }
}

extension RandomSchema {
    /// Some objects of each entity, with values, and links between all objects.
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

extension ManagedObject {
    /// The keys of the objects that an end of a link leads to.
    fileprivate final func objects(atEnd end: RandomSchema.Link.End) throws -> Set<ObjectKey> {
        if end.isToMany { return Set(try objects(forKey: end.name).map(\.key)) }
        if case .object(let id) = try value(forKey: end.name) { return [id.key] }
        return []
    }
}
