import Backstitch
import Foundation

extension StoreConformance {
    /// Objects identified by values: made, found and refused by them.
    ///
    /// A backend must only keep UUIDs of any version as keys, and report the keys that it has already. A store fails
    /// when it reads a key as a time, or overwrites the row with this key.
    static let naturalKeyCases = [
        identified("equal values make one object, whoever makes it, however their text is encoded") { context in
            let key: [String: Value] = ["isbn": "978-\u{E9}", "edition": 2]
            let book = try context.insertObject(entityName: "Book", identifiedBy: key)
            try expectEqual(book.objectID.key.uuidString, "E75B89FD-369C-8B90-BEB9-12E4A09BDCDA")
            try expectEqual(try book.value(forKey: "edition"), 2)
            let same = try context.object(
                entityName: "Book", identifiedBy: ["isbn": "978-e\u{301}", "edition": .int(2)])
            try expect(same === book)
            try context.save()
            let other = ManagedObjectContext(coordinator: context.coordinator)
            try expectEqual(
                try other.object(entityName: "Book", identifiedBy: key)?.objectID, book.objectID)
            try expect(try other.object(entityName: "Book", identifiedBy: ["isbn": "978", "edition": 2]) == nil)
        },
        identified("an object that the store has already is a conflict of the save") { context in
            let key: [String: Value] = ["isbn": "978", "edition": 1]
            try context.insertObject(entityName: "Book", identifiedBy: key).setValue("Emma", forKey: "title")
            try context.save()
            let other = ManagedObjectContext(coordinator: context.coordinator)
            try other.insertObject(entityName: "Book", identifiedBy: key).setValue("Persuasion", forKey: "title")
            try expectError(.saveConflict) { try other.save() }
            other.mergePolicy = .mergeByPropertyObjectTrump
            try other.save()
            let books = try other.fetch(FetchRequest<ManagedObject>(entityName: "Book"))
            try expectEqual(try books.map { try $0.value(forKey: "title") }, ["Persuasion"])
        },
        identified("what identifies an object does not change; the rest does, in subentities too") { context in
            let key: [String: Value] = ["isbn": "978", "edition": 1]
            let book = try context.insertObject(entityName: "AudioBook", identifiedBy: key)
            try expectEqual(
                book.objectID.key, try context.objectID(entityName: "Book", identifiedBy: key).key)
            try context.save()
            try book.setValue("Emma", forKey: "title")
            try context.save()
            try book.setValue("979", forKey: "isbn")
            let error = try expectError(.validation) { try context.save() }
            try expect(error.message.contains("cannot change"))
            try book.setValue("978", forKey: "isbn")
            try context.save()
            let mistaken = ObjectID(entityName: "Book", key: context.coordinator.generator.next())
            let wrong = try context.insertObject(with: mistaken)
            try wrong.setValue("980", forKey: "isbn")
            try expectError(.validation) { try context.save() }
            try wrong.setValue(1, forKey: "edition")
            try expectError(.validation) { try context.save() }
            context.rollback()
            try expectEqual(try context.count(for: FetchRequest<ManagedObject>(entityName: "Book")), 1)
        },
        identified("an object cannot be made without what identifies it, nor with more") { context in
            let missing = try expectError(.invalidRequest) { _ = try context.insertObject(entityName: "Book") }
            try expect(missing.message.contains("isbn and edition"))
            for (key, code) in [
                (["isbn": "978"], .validation), (["isbn": "978", "edition": .null], .validation),
                (["isbn": 978, "edition": 1], .invalidValue),
                (["isbn": "978", "edition": 1, "title": "Emma"], .invalidRequest),
            ] as [([String: Value], BackstitchError.Code)] {
                try expectError(code) { _ = try context.insertObject(entityName: "Book", identifiedBy: key) }
                try expectError(code) { _ = try context.object(entityName: "Book", identifiedBy: key) }
            }
            try expectError(.invalidRequest) {
                _ = try context.insertObject(entityName: "Shelf", identifiedBy: ["name": "A"])
            }
            try expect(!context.hasChanges)
        },
        identified("batch inserts identify objects by their values, and batch updates leave these alone") { context in
            let rows: [[String: Value]] = (0..<300).map { ["isbn": .string("\($0)"), "edition": 1, "title": "T"] }
            let inserted = try context.execute(
                BatchInsertRequest(entityName: "Book", objects: rows, resultType: .objectIDs))
            try expectEqual(
                Set(inserted.objectIDs),
                Set(
                    try rows.map { row in
                        try context.objectID(entityName: "Book", identifiedBy: row.filter { $0.key != "title" })
                    }))
            try expectError(.validation) {
                try context.execute(BatchInsertRequest(entityName: "Book", objects: [["title": "T"]]))
            }
            try expectError(.invalidRequest) {
                try context.execute(BatchInsertRequest(entityName: "Book", objects: [rows[0], rows[0]]))
            }
            try expectError(.invalidRequest) {
                try context.execute(BatchUpdateRequest(entityName: "Book", set: ["isbn": "1"]))
            }
            try context.execute(BatchUpdateRequest(entityName: "Book", set: ["title": "U"]))
            try expectEqual(try context.count(for: FetchRequest<ManagedObject>(entityName: "Book")), 300)
        },
    ]

    private static let library = ManagedObjectModel([
        EntityDescription(
            "Book",
            [
                .attribute("isbn", .string), .attribute("edition", .integer16), .attribute("title", .string),
                .toOne("shelf", "Shelf", inverse: "books"),
            ]
        ).identified(by: "isbn", "edition"),
        EntityDescription("AudioBook", parent: "Book", [.attribute("minutes", .integer32)]),
        EntityDescription("Shelf", [.attribute("name", .string), .toMany("books", "Book", inverse: "shelf")]),
    ])

    private static func identified(
        _ name: String, _ body: @escaping @Sendable (ManagedObjectContext) throws -> Void
    ) -> ConformanceCase {
        ConformanceCase(name) { bench in
            guard !bench.store.lacks.contains(.inheritance) else { return }
            try await bench.container(library).perform(body)
        }
    }
}
