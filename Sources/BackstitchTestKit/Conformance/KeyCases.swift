import Backstitch

extension StoreConformance {
    /// No two objects of a store have the same key, even in different entities.
    ///
    /// A store fails when it looks for a key in the table of one entity only.
    static let keyCases =
        ways.flatMap { first in
            ways.map { second in
                keyed("a key that \(first.name) has taken for one entity, \(second.name) does not take for another") {
                    context in
                    let key = try first.make("Item", nil, in: context)
                    let error = try expectError(.invalidRequest) {
                        _ = try second.make("Detail", key, in: ManagedObjectContext(coordinator: context.coordinator))
                    }
                    try expect(error.message.contains("Item/\(key.uuidString)"), error.message)
                    try expectCounts(["Item": 1, "Detail": 0], in: context)
                }
            }
        } + [
            keyed("a key that a context has given to an unsaved object is taken when another context has saved it") {
                context in
                let item = try context.insertObject(entityName: "Item")
                _ = try ways[0].make(
                    "Detail", item.objectID.key, in: ManagedObjectContext(coordinator: context.coordinator))
                let error = try expectError(.invalidRequest) { try context.save() }
                try expect(error.message.contains("Detail/\(item.objectID.key.uuidString)"), error.message)
                try expectCounts(["Item": 0, "Detail": 1], in: context)
            },
            keyed("a context refuses a second object of one key at once, and a child context's save too") { context in
                let item = try context.insertObject(entityName: "Item")
                let id = ObjectID(entityName: "Detail", key: item.objectID.key)
                let error = try expectError(.invalidRequest) { _ = try context.insertObject(with: id) }
                try expect(error.message.contains("\(item.objectID)"), error.message)
                let child = ManagedObjectContext(parent: context)
                _ = try child.insertObject(with: id)
                try expectError(.invalidRequest) { try child.save() }
                try context.save()
                try expectCounts(["Item": 1, "Detail": 0], in: context)
            },
            keyed("values of a natural key and a chosen key meet in either order") { context in
                let id = try context.objectID(entityName: "Book", identifiedBy: ["isbn": "978"])
                _ = try ways[0].make("Item", id.key, in: ManagedObjectContext(coordinator: context.coordinator))
                _ = try context.insertObject(entityName: "Book", identifiedBy: ["isbn": "978"])
                for policy in [.error, .mergeByPropertyObjectTrump, .overwrite] as [MergePolicy] {
                    context.mergePolicy = policy
                    try expectError(.invalidRequest) { try context.save() }
                }
                context.rollback()
                try expectError(.invalidRequest) {
                    try context.execute(BatchInsertRequest(entityName: "Book", objects: [["isbn": "978"]]))
                }
                _ = try context.execute(BatchInsertRequest(entityName: "Book", objects: [["isbn": "979"]]))
                let other = try context.objectID(entityName: "Book", identifiedBy: ["isbn": "979"])
                try expectError(.invalidRequest) { _ = try ways[0].make("Detail", other.key, in: context) }
                context.rollback()
                try expectCounts(["Item": 1, "Detail": 0, "Book": 1], in: context)
            },
            keyed("an object is not found under the name of another entity, read before or not") { context in
                let key = try ways[0].make("Item", nil, in: context)
                let id = ObjectID(entityName: "Detail", key: key)
                for isRead in [true, false] {
                    let other = ManagedObjectContext(coordinator: context.coordinator)
                    let held = try isRead ? other.fetch(FetchRequest<ManagedObject>(entityName: "Item")) : []
                    try expect(other.registeredObject(for: id) == nil)
                    try expectError(.objectNotFound) { _ = try other.existingObject(with: id) }
                    let phantom = isRead ? nil : try other.object(with: id)
                    if isRead { try expectError(.objectNotFound) { _ = try other.object(with: id) } }
                    let items = try other.fetch(FetchRequest<ManagedObject>(entityName: "Item"))
                    try expectEqual(items.map(\.entity.name), ["Item"])
                    try expect(held.isEmpty || held[0] === items[0])
                    if let phantom {
                        try expectError(.objectNotFound) { _ = try phantom.value(forKey: "name") }
                    }
                }
            },
            keyed("a key is free again once its object is deleted") { context in
                let key = try ways[0].make("Item", nil, in: context)
                context.delete(try context.existingObject(with: ObjectID(entityName: "Item", key: key)))
                try context.save()
                _ = try ways[0].make("Detail", key, in: context)
                try expectCounts(["Item": 0, "Detail": 1], in: context)
            },
        ] + sharedKeyCases

    private static let sharedKeyCases = [
        ConformanceCase("of two containers that give one key at once one does", needs: .sharing) { bench in
            guard bench.store.isDurable else { return }
            let containers = try [bench.container(keyModel), bench.container(keyModel)]
            for round in 0..<12 {
                let key = containers[0].coordinator.generator.next()
                let errors = try await withThrowingTaskGroup(of: BackstitchError?.self) { group in
                    for (container, entity) in zip(containers, ["Item", "Detail"]) {
                        group.addTask {
                            try await container.perform { context in
                                do { _ = try ways[round % ways.count].make(entity, key, in: context) } catch let error
                                    as BackstitchError where error.code == .invalidRequest
                                { return error }
                                return nil
                            }
                        }
                    }
                    return try await group.reduce(into: []) { if let error = $1 { $0.append(error) } }
                }
                try expectEqual(errors.count, 1, "in round \(round)")
            }
        },
        ConformanceCase("a key that the generator made is taken where another container has saved it", needs: .sharing)
        {
            bench in
            guard bench.store.isDurable else { return }
            let one = try bench.container(keyModel), two = try bench.container(keyModel)
            try await one.perform { context in
                let key = try context.insertObject(entityName: "Item").objectID.key
                let other = ManagedObjectContext(coordinator: two.coordinator)
                _ = try ways[0].make("Detail", key, in: other)
                try expectError(.invalidRequest) { try context.save() }
                try expectCounts(["Item": 0, "Detail": 1], in: other)
            }
        },
        ConformanceCase("two entities of one family do not share a key", needs: .inheritance) { bench in
            try await bench.container(
                ManagedObjectModel([
                    EntityDescription("Book", [.attribute("isbn", .string)]).identified(by: "isbn"),
                    EntityDescription("AudioBook", parent: "Book", []),
                ])
            ).perform { context in
                _ = try context.insertObject(entityName: "Book", identifiedBy: ["isbn": "978"])
                try context.save()
                let other = ManagedObjectContext(coordinator: context.coordinator)
                _ = try other.insertObject(entityName: "AudioBook", identifiedBy: ["isbn": "978"])
                for policy in [.error, .mergeByPropertyObjectTrump, .rollback] as [MergePolicy] {
                    other.mergePolicy = policy
                    let error = try expectError(.invalidRequest) { try other.save() }
                    try expect(error.message.contains("Book/"), error.message)
                }
            }
        },
    ]

    /// A way to put an object into a store.
    private struct Way: Sendable {
        let name: String
        private let body: @Sendable (String, ObjectKey?, ManagedObjectContext) throws -> ObjectKey

        init(_ name: String, _ body: @escaping @Sendable (String, ObjectKey?, ManagedObjectContext) throws -> ObjectKey)
        {
            self.name = name
            self.body = body
        }

        /// - Parameter key: Nil to let the generator or the way choose a key.
        func make(_ entity: String, _ key: ObjectKey?, in context: ManagedObjectContext) throws -> ObjectKey {
            try body(entity, key, context)
        }
    }

    private static let ways = [
        Way("a save") { entity, key, context in
            let object =
                try key.map { try context.insertObject(with: ObjectID(entityName: entity, key: $0)) }
                ?? context.insertObject(entityName: entity)
            try context.save()
            return object.objectID.key
        },
        Way("a batch insert") { entity, key, context in
            var isDone = false
            let request = BatchInsertRequest(entityName: entity, resultType: .objectIDs) { row in
                if isDone { return true }
                isDone = true
                row.objectID = key.map { ObjectID(entityName: entity, key: $0) }
                return false
            }
            return try context.execute(request).objectIDs[0].key
        },
        Way("a child context") { entity, key, context in
            let child = ManagedObjectContext(parent: context)
            let object =
                try key.map { try child.insertObject(with: ObjectID(entityName: entity, key: $0)) }
                ?? child.insertObject(entityName: entity)
            try child.save()
            try context.save()
            return object.objectID.key
        },
    ]

    private static func expectCounts(_ counts: [String: Int], in context: ManagedObjectContext) throws {
        let other = ManagedObjectContext(coordinator: context.coordinator)
        for (name, count) in counts {
            try expectEqual(try other.count(for: FetchRequest<ManagedObject>(entityName: name)), count, name)
        }
    }

    private static let keyModel = ManagedObjectModel([
        EntityDescription("Item", [.attribute("name", .string)]),
        EntityDescription("Detail", [.attribute("name", .string)]),
        EntityDescription("Book", [.attribute("isbn", .string)]).identified(by: "isbn"),
    ])

    private static func keyed(
        _ name: String, _ body: @escaping @Sendable (ManagedObjectContext) throws -> Void
    ) -> ConformanceCase {
        ConformanceCase(name) { bench in try await bench.container(keyModel).perform(body) }
    }
}
