import Backstitch

extension StoreConformance {
    /// A case for stores that support entity families and migrations.
    private static func family(
        _ name: String, _ body: @escaping @Sendable (MigrationBench) async throws -> Void
    ) -> ConformanceCase {
        .migration(name) { bench in
            if !bench.bench.store.lacks.contains(.inheritance) { try await body(bench) }
        }
    }

    /// Notes in folders, without parent entities.
    private static let plain = ManagedObjectModel([
        EntityDescription("Note", [.attribute("title", .string), .toOne("folder", "Folder", inverse: "notes")]),
        EntityDescription("Folder", [.toMany("notes", "Note", inverse: "folder")]),
    ])
    /// `Note` has got a parent entity, which has taken its title, and a sister.
    private static let withParent = ManagedObjectModel([
        EntityDescription(
            "Item", abstract: true, [.attribute("title", .string), .attribute("rank", .integer64, default: 5)]),
        EntityDescription("Note", parent: "Item", [.toOne("folder", "Folder", inverse: "notes")]),
        EntityDescription("Task", parent: "Item", [.attribute("done", .boolean, optional: false, default: false)]),
        EntityDescription("Folder", [.toMany("notes", "Note", inverse: "folder")]),
    ])
    /// The other entities have new names. `rank` belongs only to the task, and there is one more entity below it.
    private static let grown = ManagedObjectModel([
        EntityDescription("Thing", abstract: true, [.attribute("title", .string)]).renamed(from: "Item"),
        EntityDescription(
            "Memo", parent: "Thing",
            [.toOne("folder", "Folder", inverse: "memos"), .attribute("ink", .string, default: "blue")]
        )
        .renamed(from: "Note"),
        EntityDescription(
            "Task", parent: "Thing",
            [
                .attribute("done", .boolean, optional: false, default: false), .attribute("rank", .integer64),
                .attribute("effort", .integer64, optional: false, default: 1),
            ]),
        EntityDescription("Chore", parent: "Task", [.attribute("room", .string)]),
        EntityDescription("Folder", [.toMany("memos", "Memo", inverse: "folder").renamed(from: "notes")]),
    ])

    /// - Parameter version: Makes the model a new one for every store. Otherwise it would count as an older program's
    ///   model.
    private static func family(titleInParent inParent: Bool, version: Int) -> ManagedObjectModel {
        let title = PropertyDescription.attribute("title", .string)
        let raised = PropertyDescription.attribute("title", .string, optional: false, default: "untitled")
        return ManagedObjectModel([
            EntityDescription("Item", abstract: true, [.attribute("name", .string)] + (inParent ? [raised] : [])),
            EntityDescription("Memo", parent: "Item", (inParent ? [] : [title]) + [.attribute("code", .integer64)]),
            EntityDescription("Task", parent: "Item", (inParent ? [] : [title]) + [.attribute("code", .string)]),
            EntityDescription("Chore", parent: "Task", []), EntityDescription("Event", parent: "Item", []),
            EntityDescription("Version\(version)", []),
        ])
    }
    /// Memos and tasks have titles of their own, and codes of different types.
    private static let siblings = family(titleInParent: false, version: 1)

    /// Entities get parents, siblings and subentities, and properties move between parent and children.
    ///
    /// A backend must
    /// - put rows of an entity that gets a parent into the family, each with its own entity;
    /// - move values along when a property moves up or down, for each child its own;
    /// - refuse to join two entities with nothing in common, name both, and leave the store unchanged.
    ///
    /// A store fails when it drops a column of a sibling because another has the same name.
    static let familyMigrationCases = [
        family("a parent is put above an entity, properties move up and down, and members come, go and are renamed") {
            bench in
            let note = try await bench.open(plain) { context in
                let note = try context.make("Note", ["title": "n"])
                try note.setObject(context.make("Folder"), forKey: "folder")
                return note.objectID
            }
            let task = try await bench.open(withParent) { context in
                let found = try context.existingObject(with: note)
                try expectEqual(found.entity.name, "Note")
                try expectEqual(found.value(forKey: "title"), "n")
                try expectEqual(found.value(forKey: "rank"), 5)
                try expect(found.object(forKey: "folder") != nil)
                return try context.make("Task", ["title": "t", "rank": 7]).objectID
            }
            for _ in 1...2 {
                try await bench.open(grown) { context in
                    try expectEqual(context.all("Thing").map(\.entity.name), ["Memo", "Task"])
                    let memo = try context.existingObject(with: ObjectID(entityName: "Memo", key: note.key))
                    try expectEqual(memo.value(forKey: "ink"), "blue")
                    try expectEqual(memo.object(forKey: "folder")?.objects(forKey: "memos").count, 1)
                    let found = try context.existingObject(with: task)
                    try expectEqual(found.value(forKey: "rank"), 7)
                    try expectEqual(found.value(forKey: "effort"), 1)
                }
            }
            try await bench.open(grown) { _ = try $0.make("Chore", ["room": "kitchen"]) }
            // The family becomes a single entity again, and the other entities are removed.
            let single = ManagedObjectModel([
                EntityDescription("Memo", [.attribute("title", .string), .attribute("ink", .string)])
            ])
            guard let plan = try bench.plan(single) else { throw ConformanceFailure(description: "there is no plan") }
            try expect(plan.description.contains("Memo has no parent now"), plan.description)
            try await bench.open(single) { context in
                try expectEqual(context.all("Memo").map { try $0.value(forKey: "title") }, ["n"])
            }
        },
        family("entities without a common parent are not put together, and a family is not taken apart") { bench in
            let apart = ManagedObjectModel([
                EntityDescription("Note", [.attribute("title", .string)]),
                EntityDescription("Task", [.attribute("done", .boolean)]),
            ])
            let together = ManagedObjectModel([
                EntityDescription("Item", []),
                EntityDescription("Note", parent: "Item", [.attribute("title", .string)]),
                EntityDescription("Task", parent: "Item", [.attribute("done", .boolean)]),
            ])
            try await bench.open(apart) { _ = try $0.make("Note", ["title": "a"]) }
            let error = try bench.refusal(together, .modelMismatch)
            try expect(error.message.contains("Note and Task had nothing in common"), error.message)
            try await bench.open(apart) { try expectEqual($0.all("Note").count, 1) }
        },
        family("properties of one name move up to a parent, and down again to each sibling, with their values") {
            bench in
            let (memo, chore) = try await bench.open(siblings) { context in
                try context.make("Event", ["name": "e"])
                return try (
                    context.make("Memo", ["title": "m", "code": 1]).objectID,
                    context.make("Chore", ["title": "c", "code": "one"]).objectID
                )
            }
            for version in 2...4 {
                let isRaised = version % 2 == 0
                let model = family(titleInParent: isRaised, version: version)
                let losses = try bench.plan(model)?.steps.filter(\.losesData).map(\.description)
                try expectEqual(
                    losses?.filter { !$0.contains("Version") },
                    isRaised ? [] : ["Event.title is removed, with its values"])
                try await bench.open(model) { context in
                    let (memo, chore) = try (context.existingObject(with: memo), context.existingObject(with: chore))
                    try expectEqual([try memo.value(forKey: "title"), try chore.value(forKey: "title")], ["m", "c"])
                    try expectEqual([try memo.value(forKey: "code"), try chore.value(forKey: "code")], [1, "one"])
                    guard isRaised else { return }
                    try expectEqual(try context.all("Event").map { try $0.value(forKey: "title") }, ["untitled"])
                }
            }
        },
        family("a sibling gains and loses a property that another has, and neither touches the other's") { bench in
            func alone(_ version: Int) -> ManagedObjectModel {
                var model = family(titleInParent: false, version: version)
                for entity in model.entities.indices where model.entities[entity].name == "Task" {
                    model.entities[entity].properties = []
                }
                return model
            }
            let memo = try await bench.open(alone(0)) { context in
                try context.make("Task")
                return try context.make("Memo", ["title": "m", "code": 1]).objectID
            }
            try await bench.open(siblings) { context in
                let task = try context.all("Task")[0]
                try expectEqual([try task.value(forKey: "title"), try task.value(forKey: "code")], [.null, .null])
                try task.setValue("t", forKey: "title")
                try task.setValue("two", forKey: "code")
                try expectEqual(try context.existingObject(with: memo).value(forKey: "code"), 1)
            }
            guard let plan = try bench.plan(alone(2)) else { throw ConformanceFailure(description: "there is no plan") }
            try expectEqual(
                plan.steps.filter(\.losesData).map(\.description).filter { $0.hasPrefix("Task") },
                ["Task.code is removed, with its values", "Task.title is removed, with its values"])
            try await bench.open(alone(2)) { context in
                let memo = try context.existingObject(with: memo)
                try expectEqual([try memo.value(forKey: "title"), try memo.value(forKey: "code")], ["m", 1])
            }
        },
        family("a stage with code sees the rows of each entity of a family") { bench in
            try await bench.open(withParent) { context in
                try context.make("Note", ["title": "n", "rank": 1])
                for rank in [2, 3] { try context.make("Task", ["title": "t", "rank": .int(Int64(rank))]) }
            }
            let stage = MigrationStage.custom("ranks become efforts", from: withParent, to: grown) { rows in
                var titles: [Value] = []
                try rows.forEachOldRow(of: "Item") { titles.append(try $0["title"]) }
                try expectEqual(titles, ["n", "t", "t"])
                try rows.update("Task") { old, new in try new.set("effort", old["rank"]) }
                _ = try rows.insert("Chore", key: nil, ["title": "c", "effort": 9])
            }
            try await bench.with([stage]).open(grown) { context in
                try expectEqual(context.all("Task").map { try $0.value(forKey: "effort") }, [2, 3, 9])
                try expectEqual(context.all("Chore").map { try $0.value(forKey: "done") }, [.bool(false)])
                try expectEqual(context.all("Memo").count, 1)
            }
        },
    ]
}
