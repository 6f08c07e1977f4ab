import Backstitch
import Foundation

extension StoreConformance {
    /// A version of the model with one entity.
    private static func note(_ properties: [PropertyDescription]) -> ManagedObjectModel {
        ManagedObjectModel([EntityDescription("Note", properties)])
    }

    /// A store is opened with the next version of its model, and keeps its rows.
    ///
    /// A backend must
    /// - record the model of its rows, and migrate in one transaction when it is opened with another one;
    /// - add attributes with their defaults, of every type; remove, rename and exchange them, and entities;
    /// - find the origin of a name across skipped versions;
    /// - tell a container with the open store that another one has migrated it.
    ///
    /// A store fails when it matches columns by position instead of by name, or carries out a rename as a removal and
    /// an addition.
    static let migrationCases = [
        ConformanceCase(
            "random migrations keep every value and link that has a place in the new model", needs: .migration
        ) { bench in
            guard bench.store.isDurable else { return }
            for seed in 0..<4 { try await RandomMigrations.run(seed: UInt64(seed), on: bench.store) }
        },
        ConformanceCase.migration("an added attribute is empty, or has its default, in every object") { bench in
            let uuid = UUID()
            let data = Data([0, 1, 255, 39])
            let defaults: [(String, AttributeType, Value)] = [
                ("small", .integer16, -3), ("large", .integer64, .int(.min)), ("truth", .boolean, true),
                ("real", .double, 1.5), ("minus", .double, -0.25), ("endless", .double, .double(.infinity)),
                ("price", .decimal, .decimal(Decimal(string: "-12.50") ?? 0)), ("text", .string, "it's \"ü\""),
                ("day", .date, .date(Date(timeIntervalSince1970: -1.5))), ("bytes", .binary, .data(data)),
                ("id", .uuid, .uuid(uuid)), ("link", .uri, .uri(URL(fileURLWithPath: "/a'b"))),
            ]
            try await bench.open(note([.attribute("title", .string)])) {
                for title in ["a", "b"] { try $0.make("Note", ["title": .string(title)]) }
            }
            let added = defaults.map { PropertyDescription.attribute($0, $1, optional: false, default: $2) }
            let newer = note([.attribute("title", .string), .attribute("body", .string)] + added)
            for round in 1...2 {
                try await bench.open(newer) { context in
                    let notes = try context.all("Note")
                    try expectEqual(notes.compactMap { $0["title"] as String? }, ["a", "b"])
                    for note in notes {
                        if round == 1 { try expectEqual(note.value(forKey: "body"), .null) }
                        for (name, _, value) in defaults { try expectEqual(note.value(forKey: name), value) }
                        try note.setValue("changed", forKey: "body")
                    }
                    let found = try FetchRequest<ManagedObject>(
                        entityName: "Note", where: "price == %@ AND small == -3 AND text == %@", Decimal(-12.5),
                        "it's \"ü\"")
                    try expectEqual(context.count(for: found), 2)
                }
            }
        },
        ConformanceCase.migration("a removed attribute goes with its values, and the others stay") { bench in
            try await bench.open(
                note([.attribute("a", .string), .attribute("b", .binary), .attribute("c", .integer32)])
            ) {
                _ = try $0.make("Note", ["a": "1", "b": .data(Data([2])), "c": 3])
            }
            try await bench.open(note([.attribute("c", .integer32)])) { context in
                try expectEqual(context.all("Note").map { try $0.value(forKey: "c") }, [3])
            }
            try await bench.open(note([.attribute("a", .string), .attribute("c", .integer32)])) { context in
                try expectEqual(context.all("Note").map { try $0.value(forKey: "a") }, [.null])
            }
        },
        ConformanceCase.migration("a container that has the store open while another one migrates it is told so") {
            bench in
            let older = note([.attribute("x", .string), .attribute("kept", .string)])
            let newer = note([.attribute("z", .string), .attribute("kept", .string)])
            let container = try PersistentContainer(
                model: older, store: bench.description([:]), clock: bench.bench.clock)
            defer { try? container.close() }
            try await container.perform { context in
                try context.make("Note", ["x": "1", "kept": "k"])
                try context.save()
            }
            try await bench.open(newer) { try expectEqual($0.all("Note").count, 1) }
            try await container.perform { context in
                let refused = try expectError(.modelMismatch) {
                    try context.make("Note", ["x": "2"])
                    try context.save()
                }
                try expectEqual(refused.message.contains("Note.z was added"), true)
                try expectEqual(refused.message.contains("close this container"), true)
                context.reset()
                _ = try expectError(.modelMismatch) { _ = try context.all("Note") }
            }
            try await bench.open(newer) { try expectEqual($0.all("Note").compactMap { $0["kept"] as String? }, ["k"]) }
        },
        ConformanceCase.migration("required becomes optional, and optional required with a default") { bench in
            try await bench.open(
                note([.attribute("a", .string, optional: false, default: "x"), .attribute("b", .integer64)])
            ) {
                try $0.make("Note", ["a": "1", "b": 2])
                try $0.make("Note", ["a": "2"])
            }
            try await bench.open(
                note([.attribute("a", .string), .attribute("b", .integer64, optional: false, default: 7)])
            ) { context in
                let notes = try context.all("Note")
                try expectEqual(notes.map { try $0.value(forKey: "b") }, [2, 7])
                try notes[0].setValue(.null, forKey: "a")
            }
        },
        ConformanceCase.migration("renamed entities and attributes keep what they hold, over versions left out too") {
            bench in
            let first = ManagedObjectModel([
                EntityDescription("Note", [.attribute("a", .string), .attribute("b", .string)])
            ])
            let second = ManagedObjectModel([
                EntityDescription(
                    "Memo", [.attribute("c", .string).renamed(from: "a"), .attribute("b", .string)]
                ).renamed(from: "Note")
            ])
            let third = ManagedObjectModel([
                EntityDescription(
                    "Paper", [.attribute("d", .string).renamed(from: "a"), .attribute("b", .string)]
                ).renamed(from: "Note")
            ])
            let fourth = ManagedObjectModel([
                EntityDescription(
                    "Sheet", [.attribute("d", .string), .attribute("e", .string).renamed(from: "b")]
                ).renamed(from: "Paper")
            ])
            let id = try await bench.open(first) { try $0.make("Note", ["a": "1", "b": "2"]).objectID }
            for (model, name, keys) in [
                (second, "Memo", ["c", "b"]), (third, "Paper", ["d", "b"]), (fourth, "Sheet", ["d", "e"]),
                // Back to the first names, without any loss.
                (third, "Paper", ["d", "b"]), (first, "Note", ["a", "b"]), (third, "Paper", ["d", "b"]),
            ] {
                try await bench.open(model) { context in
                    let object = try context.existingObject(with: ObjectID(entityName: name, key: id.key))
                    try expectEqual(keys.map { try object.value(forKey: $0) }, ["1", "2"], "\(name)")
                }
            }
        },
        ConformanceCase.migration("names that are exchanged, and given to another, follow what was renamed") { bench in
            let first = ManagedObjectModel([
                EntityDescription("A", [.attribute("x", .string), .attribute("y", .string)]),
                EntityDescription("B", [.attribute("z", .string)]),
            ])
            let second = ManagedObjectModel([
                EntityDescription(
                    "B", [.attribute("y", .string).renamed(from: "x"), .attribute("x", .string).renamed(from: "y")]
                ).renamed(from: "A"),
                EntityDescription(
                    "A", [.attribute("w", .string).renamed(from: "z"), .attribute("z", .string, default: "new")]
                ).renamed(from: "B"),
            ])
            try await bench.open(first) {
                try $0.make("A", ["x": "1", "y": "2"])
                try $0.make("B", ["z": "3"])
            }
            for _ in 1...2 {
                try await bench.open(second) { context in
                    try expectEqual(
                        context.all("B").flatMap { try [$0.value(forKey: "y"), $0.value(forKey: "x")] }, ["1", "2"])
                    try expectEqual(
                        context.all("A").flatMap { try [$0.value(forKey: "w"), $0.value(forKey: "z")] }, ["3", "new"])
                }
            }
        },
        ConformanceCase.migration("entities are added and removed, and what stays keeps its links") { bench in
            var second = ManagedObjectModel.notes.adding([EntityDescription("Person", [.attribute("name", .string)])])
            second.entities.removeAll { $0.name == "Tag" }
            second = second.changing("Note") { note in note.properties.removeAll { $0.name == "tags" } }
            let newer = second
            try await bench.open(.notes) { context in
                let note = try context.make("Note"), folder = try context.make("Folder", ["name": "f"])
                try note.setObject(folder, forKey: "folder")
                try note.add(context.make("Tag"), to: "tags")
            }
            try await bench.open(newer) { context in
                try expectEqual(context.all("Note").first?.object(forKey: "folder")?["name"] as String?, "f")
                try context.make("Person", ["name": "p"])
            }
            try await bench.open(newer) {
                try expectEqual($0.all("Person").map { try $0.value(forKey: "name") }, ["p"])
            }
        },
        ConformanceCase.migration("numbers keep their values in a wider type, with and without a stage") { bench in
            func model(_ integers: AttributeType, _ others: AttributeType, _ real: AttributeType, later: Bool = false)
                -> ManagedObjectModel
            {
                let version: [PropertyDescription] = later ? [.attribute("later", .string)] : []
                var entity = EntityDescription(
                    "N",
                    [
                        .attribute("a", integers), .attribute("b", others, optional: false, default: 5),
                        .attribute("real", real),
                    ] + version)
                entity.indexes = [FetchIndexDescription(["a", "b"])]
                return ManagedObjectModel([entity])
            }
            let first = model(.integer16, .integer16, .float)
            let wider = [
                model(.integer32, .integer64, .float), model(.integer64, .integer64, .double),
                model(.integer64, .integer64, .double, later: true),
            ]
            try await bench.open(first) { context in
                try context.make("N", ["a": .int(-32_768), "b": .int(32_767), "real": .double(0.1)])
                try context.make("N")
            }
            let tenth = Value.double(Double(Float(0.1)))
            for (number, model) in wider.enumerated() {
                let stage = MigrationStage.custom("later", from: wider[1], to: wider[2]) { rows in
                    try rows.update("N") { old, new in try new.set("later", .string("\(try old["b"])")) }
                }
                try await bench.with(number < 2 ? [] : [stage]).open(model) { context in
                    let all = try context.all("N")
                    try expectEqual(try all.map { try $0.value(forKey: "a") }, [.int(-32_768), .null])
                    try expectEqual(try all.map { try $0.value(forKey: "b") }, [.int(32_767), .int(5)])
                    try expectEqual(try all.map { try $0.value(forKey: "real") }, [tenth, .null])
                    let found = try context.fetch(
                        FetchRequest<ManagedObject>(
                            entityName: "N", predicate: FetchPredicate(format: "a < 0 AND b > 5")))
                    try expectEqual(found, [all[0]])
                }
            }
            try await bench.open(wider[2]) { context in
                let new = try context.make("N", ["a": .int(.max), "b": .int(.min), "real": .double(0.1)])
                try context.save()
                let found = try fresh(new, context)
                try expectEqual(
                    ["a", "b", "real"].map { try found.value(forKey: $0) }, [.int(.max), .int(.min), .double(0.1)])
            }
        },
        ConformanceCase.migration("a stage's code reads the values of before an attribute got a wider type") { bench in
            let first = ManagedObjectModel([
                EntityDescription("N", [.attribute("a", .integer16), .attribute("real", .float)])
            ])
            let second = ManagedObjectModel([
                EntityDescription(
                    "N", [.attribute("a", .integer64), .attribute("real", .double), .attribute("text", .string)])
            ])
            try await bench.open(first) { _ = try $0.make("N", ["a": .int(-7), "real": .double(1.5)]) }
            let stage = MigrationStage.custom("text", from: first, to: second) { rows in
                try rows.update("N") { old, new in
                    try new.set("text", .string("\(try old["a"]) \(try old["real"])"))
                }
            }
            try await bench.with([stage]).open(second) { context in
                let found = try context.all("N")[0]
                try expectEqual(
                    ["a", "real"].map { try found.value(forKey: $0) }, [.int(-7), .double(1.5)])
                try expectEqual(found.value(forKey: "text"), .string("\(Value.int(-7)) \(Value.double(1.5))"))
            }
        },
    ]
}
