import Backstitch
import Foundation

extension StoreConformance {
    /// Batch inserts of dictionaries and from closures, thousands of rows in one transaction.
    ///
    /// A backend must
    /// - take the rows in parts, without all of them in memory, while the closure that supplies them may read the
    ///   store;
    /// - undo the whole request when the closure throws or a row cannot be written;
    /// - keep the program's identities, and refuse an existing one;
    /// - write one history transaction for the request.
    ///
    /// A store fails when a part is visible before the last one, or when the closure waits for a lock of its own
    /// request.
    static let batchInsertCases = [
        ConformanceCase("a batch insert writes rows of dictionaries, with defaults for what is not given") { bench in
            try await bench.container().perform { context in
                let place = Location(context: context)
                try context.save()
                let date = Date(timeIntervalSince1970: 1000)
                let result = try context.execute(
                    BatchInsertRequest(
                        entityName: "Entry",
                        objects: [
                            ["text": "a", "count": 1, "created": .date(date), "location": .object(place.objectID)],
                            ["count": 2, "photo": .data(Data([1, 2, 3]))],
                        ], resultType: .objectIDs))
                try expectEqual(result.count, 2)
                let entries = try context.fetch(FetchRequest<Entry>(sortedBy: [.ascending("count")]))
                try expectEqual(entries.map(\.objectID), result.objectIDs)
                try expectEqual(entries.map(\.text), ["a", ""])
                try expectEqual(entries.map(\.created), [date, nil])
                try expectEqual(entries.map(\.photo), [nil, Data([1, 2, 3])])
                try expect(entries[0].location === place && place.entries == [entries[0]])
            }
        },
        ConformanceCase("a batch insert takes thousands of rows from a closure, in one transaction") { bench in
            try await bench.container().perform { context in
                let before = try context.coordinator.transactionNumber()
                var number = 0
                let result = try context.execute(
                    BatchInsertRequest(entityName: "Entry", resultType: .count) { row in
                        guard number < 5000 else { return true }
                        row.set("count", to: number)
                        row["text"] = "from a closure"
                        number += 1
                        return false
                    })
                try expectEqual(result.count, 5000)
                try expect(result.objectIDs.isEmpty)
                let counts = try context.fetch(FetchRequest<Entry>()).map(\.count)
                try expect(counts == Array(0..<5000))
                if let before { try expectEqual(context.coordinator.transactionNumber(), before + 1) }
            }
        },
        ConformanceCase("a batch insert that fails midway inserts nothing") { bench in
            struct Stop: Error {}
            try await bench.container().perform { context in
                var number = 0
                let request = BatchInsertRequest(entityName: "Entry") { row in
                    number += 1
                    if number > 3000 { throw Stop() }
                    row["count"] = 1
                    return false
                }
                do {
                    try context.execute(request)
                    throw ConformanceFailure(description: "the closure's error was swallowed")
                } catch is Stop {}
                let wrong = try expectError(.invalidValue) {
                    try context.execute(
                        BatchInsertRequest(entityName: "Entry", objects: [["count": 1], ["count": "many"]]))
                }
                try expect(wrong.message.contains("Entry.count") && wrong.message.contains("many"), wrong.message)
                let unknown = try expectError(.invalidRequest) {
                    try context.execute(BatchInsertRequest(entityName: "Entry", objects: [["cuont": 1]]))
                }
                try expect(unknown.message.contains("cuont"), unknown.message)
                try expectError(.invalidRequest) {
                    try context.execute(BatchInsertRequest(entityName: "Entry", objects: [["tags": .null]]))
                }
                try expectEqual(context.count(for: FetchRequest<Entry>()), 0)
            }
        },
        ConformanceCase("a batch insert keeps given identities, and refuses one that is there already") { bench in
            try await bench.container().perform { context in
                let id = ObjectID(entityName: "Tag", key: context.coordinator.generator.next())
                func insert(_ name: String) throws {
                    var isDone = false
                    try context.execute(
                        BatchInsertRequest(entityName: "Tag") { row in
                            defer { isDone = true }
                            row.objectID = id
                            row.set("name", to: name)
                            return isDone
                        })
                }
                try insert("first")
                try expectEqual((context.existingObject(with: id) as? Tag)?.name, "first")
                let error = try expectError(.saveConflict) { try insert("second") }
                try expect((error.faults.first ?? error).objectID == id)
                try expectEqual(context.count(for: FetchRequest<Tag>()), 1)
                let other = ObjectID(entityName: "Tag", key: context.coordinator.generator.next())
                var isDone = false
                try context.execute(
                    BatchInsertRequest(entityName: "Tag") { row in
                        defer { isDone = true }
                        row.objectID = other
                        row.values = ["name": "all at once"]
                        return isDone
                    })
                try expectEqual((context.existingObject(with: other) as? Tag)?.name, "all at once")
            }
        },
        ConformanceCase("the closure of a batch insert may read the store, and is refused to write") { bench in
            try await bench.container().perform { context in
                _ = Location(context: context)
                try context.save()
                var isDone = false
                try context.execute(
                    BatchInsertRequest(entityName: "Entry") { row in
                        if isDone { return true }
                        isDone = true
                        row.set("count", to: try context.count(for: FetchRequest<Location>()))
                        return false
                    })
                try expectEqual(context.fetch(FetchRequest<Entry>()).map(\.count), [1])
                try expectError(.invalidRequest) {
                    try context.execute(
                        BatchInsertRequest(entityName: "Entry") { _ in
                            try context.execute(BatchInsertRequest(entityName: "Tag", objects: [["name": "x"]]))
                            return true
                        })
                }
                try expectEqual(context.count(for: FetchRequest<Tag>()), 0)
            }
        },
    ]
}

extension PersistentStoreCoordinator {
    /// The number of the store's last transaction; nil when it keeps no journal.
    func transactionNumber() throws -> Int64? {
        try (store as? any JournalingStore)?.readJournal { try $0.lastTransactionNumber() }
    }
}
