import Backstitch

extension StoreConformance {
    /// The base version for the refused models.
    private static let first = ManagedObjectModel([
        EntityDescription(
            "Note",
            [
                .attribute("title", .string), .attribute("size", .integer64), .attribute("photo", .binary),
                .toOne("folder", "Folder", inverse: "notes"),
            ]),
        EntityDescription("Folder", [.toMany("notes", "Note", inverse: "folder")]),
        EntityDescription("Tag", [.attribute("name", .string)]),
    ])

    /// Models that do not follow from the store's are refused with every reason at once. A plan reports these reasons
    /// beforehand.
    ///
    /// A backend must
    /// - throw ``BackstitchError/Code/modelMismatch`` with a fault for each difference, and leave the store unchanged;
    /// - respect ``StoreOption/migratesStoreAutomatically`` and ``StoreOption/infersMappingModel``;
    /// - refuse an older program that would lose something with ``BackstitchError/Code/newerFormat``;
    /// - add a unique constraint if all values differ, and otherwise report the values;
    /// - make a plan (``PersistentStore/migrationPlan(for:)``) without doing any of it.
    ///
    /// A store fails when it finds the second fault after it has carried out the first step.
    static let migrationRefusalCases = [
        ConformanceCase.migration(
            "what does not follow from the models is refused with every reason, and nothing changes"
        ) { bench in
            try await bench.open(first) { _ = try $0.make("Note", ["title": "a"]) }
            // The third model changes the destination of the relationship.
            let second = ManagedObjectModel([
                EntityDescription(
                    "Note",
                    [
                        .attribute("title", .string), .attribute("size", .integer32, default: 0),
                        .attribute("photo", .string), .attribute("rank", .integer16, default: 1),
                        .toOne("folder", "Tag", inverse: "notes"),
                    ]),
                EntityDescription("Tag", [.attribute("name", .string), .toMany("notes", "Note", inverse: "folder")]),
            ])
            let error = try bench.refusal(second, .modelMismatch)
            for text in [
                "Note.size was integer64, and is integer32 now", "Note.photo was binary, and is string now",
                "Note.folder led to Folder",
            ] {
                try expect(error.message.contains(text), error.message)
            }
            try expectEqual(error.faults.map(\.key), ["Note.folder", "Note.size", "Note.photo"])
            try expectError(.modelMismatch) { _ = try bench.plan(second) }
            try await bench.open(first) { try expectEqual($0.all("Note").map { try $0.value(forKey: "title") }, ["a"]) }
        },
        ConformanceCase.migration("the store of another program altogether is refused") { bench in
            try await bench.open(first) { _ in }
            let other = ManagedObjectModel([EntityDescription("Planet", [.attribute("name", .string)])])
            let message = try bench.refusal(other, .modelMismatch).message
            for text in ["another program", "entity Planet was added"] {
                try expect(message.contains(text), message)
            }
            try await bench.open(first) { _ in }
        },
        ConformanceCase.migration("with migration turned off the error says what differs") { bench in
            var second = first
            second.entities[2].properties.append(.attribute("colour", .string))
            try await bench.open(first) { _ in }
            for option in [StoreOption.migratesStoreAutomatically, .infersMappingModel] {
                let error = try bench.refusal(second, .modelMismatch, options: [option: false])
                try expect(error.message.contains("Tag.colour was added"), error.message)
                try expect(error.message.contains(option.rawValue), error.message)
            }
            try await bench.open(first, options: [.migratesStoreAutomatically: false]) { _ in }
            try await bench.open(second) { _ = try $0.make("Tag", ["colour": "red"]) }
        },
        ConformanceCase.migration("a program of before opens a newer store only where that loses nothing") { bench in
            var second = first
            second.entities[2].properties.append(.attribute("colour", .string))
            try await bench.open(first) { _ = try $0.make("Tag", ["name": "a"]) }
            try await bench.open(second) { try $0.all("Tag").first?.setValue("red", forKey: "colour") }
            _ = try bench.refusal(first, .newerFormat)
            try await bench.open(second) {
                try expectEqual($0.all("Tag").map { try $0.value(forKey: "colour") }, ["red"])
            }
            var third = second
            third.entities[2] = third.entities[2].renamed(from: "Tag")
            third.entities[2].name = "Label"
            try await bench.open(third) { try expectEqual($0.all("Label").count, 1) }
            try await bench.open(second) { try expectEqual($0.all("Tag").count, 1) }
        },
        ConformanceCase.migration(
            "a unique constraint is added where all values differ, and follows its attributes' names"
        ) { bench in
            guard !bench.bench.store.lacks.contains(.uniqueConstraints) else { return }
            func model(_ name: String, unique: Bool) -> ManagedObjectModel {
                ManagedObjectModel([
                    EntityDescription(
                        "Person", unique: unique ? [[name]] : [],
                        [.attribute(name, .string).renamed(from: "mail"), .attribute("age", .integer16)])
                ])
            }
            try await bench.open(model("mail", unique: false)) { context in
                for mail in ["a", "b", "b"] { try context.make("Person", ["mail": .string(mail)]) }
                for _ in 1...2 { try context.make("Person") }
            }
            let error = try bench.refusal(model("mail", unique: true), .constraint)
            try expect(error.message.contains("no two Person may have the same mail, but 1 values"), error.message)
            try await bench.open(model("mail", unique: false)) { try $0.all("Person")[2].setValue("c", forKey: "mail") }
            try await bench.open(model("mail", unique: true)) { _ in }
            for _ in 1...2 {
                try await bench.open(model("address", unique: true)) { context in
                    try context.make("Person", ["address": "a"])
                    try expectError(.constraint) { try context.save() }
                    context.rollback()
                    try expectEqual(context.all("Person").count, 5)
                }
            }
        },
        ConformanceCase.migration("a plan says in words what would be done, and does nothing") { bench in
            try expectEqual(bench.plan(first), nil)
            try await bench.open(first) { _ = try $0.make("Note", ["title": "a"]) }
            try expectEqual(bench.plan(first), nil)
            let second = ManagedObjectModel([
                EntityDescription(
                    "Memo",
                    [
                        .attribute("heading", .string, optional: false, default: "?").renamed(from: "title"),
                        .attribute("rank", .integer16, default: 1), .toOne("folder", "Folder", inverse: "notes"),
                    ]
                ).renamed(from: "Note"),
                EntityDescription("Folder", [.toMany("notes", "Memo", inverse: "folder")]),
                EntityDescription("Person", [.attribute("name", .string)]),
            ])
            guard let plan = try bench.plan(second) else { throw ConformanceFailure(description: "there is no plan") }
            try expectEqual(
                plan.steps.map(\.description),
                [
                    "entity Note becomes Memo", "Memo.title becomes Memo.heading",
                    "Memo.heading is required now; objects without a value get the string \"?\"",
                    "Memo.rank is added; every object gets the integer 1", "Memo.photo is removed, with its values",
                    "Memo.size is removed, with its values", "entity Person is added",
                    "entity Tag is removed, with its objects",
                ])
            try expect(
                plan.losesData && plan.description.contains("Memo.size is removed, with its values (loses data)"))
            try await bench.open(first) { try expectEqual($0.all("Note").count, 1) }
        },
    ]
}
