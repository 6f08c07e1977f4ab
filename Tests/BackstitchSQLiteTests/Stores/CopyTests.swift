import Backstitch
import BackstitchSQLite
import Foundation
import TestSupport
import Testing

@Suite("copies of objects for another store") struct CopyTests {
    /// Recipes with a cook and tags, which have unique names, and a picture outside the row.
    private static let model = ManagedObjectModel([
        EntityDescription(
            "Recipe", unique: [["title"]],
            [
                .attribute("title", .string), .attribute("rank", .integer64),
                .attribute("picture", .binary, external: true), .attribute("length", .integer64),
                .toOne("cook", "Cook", inverse: "recipes"), .toMany("tags", "Tag", inverse: "recipes"),
                .toMany("steps", "Step", inverse: "recipe", ordered: true),
            ]),
        EntityDescription(
            "Cook", unique: [["name"]],
            [.attribute("name", .string), .toMany("recipes", "Recipe", inverse: "cook")]),
        EntityDescription(
            "Tag", unique: [["name"]],
            [.attribute("name", .string), .toMany("recipes", "Recipe", inverse: "tags")]),
        EntityDescription("Step", [.attribute("text", .string), .toOne("recipe", "Recipe", inverse: "steps")]),
    ])

    private func run(_ body: @escaping @Sendable (PersistentContainer) async throws -> Void) async throws {
        let stores = (0..<2).map { _ in PersistentStoreDescription(type: .sqlite) }
        let container = try PersistentContainer(model: Self.model, stores: stores)
        defer { try? container.close() }
        try await container.perform { context in
            // The other store knows one of the two tags.
            let known = try context.make("Tag", ["name": "sweet"])
            try context.assign(known, to: container.coordinator.stores[1])
            let recipe = try context.make("Recipe", ["title": "Pie", "rank": 3, "picture": .data(Data([1, 2, 3]))])
            try recipe.setObject(try context.make("Cook", ["name": "Ada"]), forKey: "cook")
            for name in ["sweet", "quick"] {
                try recipe.add(try context.make("Tag", ["name": .string(name)]), to: "tags")
            }
            try recipe.setObjects([try context.make("Step", ["text": "Bake"])], forKey: "steps")
            try context.save()
        }
        try await body(container)
    }

    private static func recipe(
        _ context: ManagedObjectContext, in store: Int, _ container: PersistentContainer
    ) throws -> ManagedObject {
        var request = FetchRequest<ManagedObject>(entityName: "Recipe")
        request.affectedStores = [container.coordinator.stores[store]]
        return try #require(try context.fetch(request).first)
    }

    @Test("attributes come along, links to what the other store knows too, and the others are listed")
    func copies() async throws {
        try await run { container in
            let other = container.coordinator.stores[1]
            try await container.perform { context in
                let recipe = try Self.recipe(context, in: 0, container)
                let copy = try context.copy(recipe, to: other)
                let cook = try #require(try recipe.object(forKey: "cook"))
                let quick = try #require(
                    try recipe.objects(forKey: "tags").first { try $0.value(forKey: "name") == .string("quick") })
                let steps = try recipe.objects(forKey: "steps").map(\.objectID)
                #expect(copy.omittedLinks == ["cook": [cook.objectID], "tags": [quick.objectID], "steps": steps])
                #expect(copy.object.objectID != recipe.objectID)
                try context.save()
            }
            let values = try await container.perform { context in
                let copy = try Self.recipe(context, in: 1, container)
                let tags = try copy.objects(forKey: "tags").map { try $0.value(forKey: "name") }
                let picture: Data? = copy["picture"]
                #expect(picture == Data([1, 2, 3]) && tags == [.string("sweet")])
                let original = try Self.recipe(context, in: 0, container)
                #expect(try original.objects(forKey: "tags").count == 2)
                return [
                    try copy.value(forKey: "title"), try copy.value(forKey: "rank"), try copy.value(forKey: "length"),
                ]
            }
            #expect(values == [.string("Pie"), .int(3), .null])
        }
    }

    @Test("what has the same natural key there becomes the copy: it is brought up to date, and no second one is made")
    func again() async throws {
        try await run { container in
            let other = container.coordinator.stores[1]
            for rank in [3, 9] {
                try await container.perform { context in
                    let recipe = try Self.recipe(context, in: 0, container)
                    try recipe.setValue(.int(Int64(rank)), forKey: "rank")
                    if rank == 9 {
                        for tag in try recipe.objects(forKey: "tags") { try recipe.remove(tag, from: "tags") }
                    }
                    _ = try context.copy(recipe, to: other)
                    try context.save()
                }
            }
            try await container.perform { context in
                var request = FetchRequest<ManagedObject>(entityName: "Recipe")
                request.affectedStores = [other]
                let copies = try context.fetch(request)
                #expect(copies.count == 1)
                #expect(try copies.first?.value(forKey: "rank") == .int(9))
                #expect(try copies.first?.objects(forKey: "tags").isEmpty == true)
            }
        }
    }

    @Test("a copy into the store that an object is in, and of what was deleted, is refused and changes nothing")
    func refused() async throws {
        try await run { container in
            let stores = container.coordinator.stores
            try await container.perform { context in
                let recipe = try Self.recipe(context, in: 0, container)
                let same = #expect(throws: BackstitchError.self) { try context.copy(recipe, to: stores[0]) }
                #expect(same?.code == .invalidRequest && same?.objectID == recipe.objectID)
                context.delete(recipe)
                let deleted = #expect(throws: BackstitchError.self) { try context.copy(recipe, to: stores[1]) }
                #expect(deleted?.code == .invalidRequest && deleted?.message.contains("was deleted") == true)
                context.rollback()
                #expect(!context.hasChanges)
                let foreign = try PersistentContainer(model: Self.model, store: .init(type: .sqlite))
                let unknown = #expect(throws: BackstitchError.self) {
                    try context.copy(recipe, to: foreign.coordinator.stores[0])
                }
                #expect(unknown?.code == .invalidRequest && !context.hasChanges)
            }
        }
    }
}

extension ManagedObjectContext {
    fileprivate func make(_ entity: String, _ values: [String: Value]) throws -> ManagedObject {
        let object = try insertObject(entityName: entity)
        for (key, value) in values { try object.setValue(value, forKey: key) }
        return object
    }
}
