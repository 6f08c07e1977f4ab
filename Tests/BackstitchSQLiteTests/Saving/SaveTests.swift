import Backstitch
import BackstitchSQL
import Foundation
import Testing

@testable import BackstitchSQLite

@Suite("Saving to a SQLite store")
struct SaveTests {
    @Test("inserts, updates and deletes of several entities are one save; versions rise by one")
    func mixed() throws {
        let fixture = try StoreFixture()
        let store = try fixture.openInMemory()
        let authors = fixture.keys(3), shelf = fixture.generator.next()
        try store.save { request in
            request.inserts = [
                try fixture.rows("Author", authors.map { ($0, ["name": "old"]) }), try fixture.rows("Shelf", shelf),
            ]
        }
        let stored = try store.rows(of: fixture.entity("Author"), keys: Array(authors[..<2]))
        let result = try store.save { request in
            request.updates = [try fixture.update(stored) { ["name": .string("new \($0)")] }]
            request.deletes = [try fixture.rows("Author", authors[2], version: 1)]
            request.inserts = [
                try fixture.rows(
                    "Book", fixture.generator.next(), ["shelf": .object(ObjectID(entityName: "Shelf", key: shelf))])
            ]
        }
        #expect(result.transactionNumber == 2)
        let now = try store.all(fixture.entity("Author"))
        #expect(now.contents == [authors[0]: ["name": "new 0"], authors[1]: ["name": "new 1"]])
        #expect(now.versions.allSatisfy { $0 == 2 })
        #expect(try store.count(StoreFetchRequest(entity: fixture.entity("Book"))) == 1)
    }

    @Test("rows of one update may differ in what changed; columns that did not change keep what others wrote")
    func changedColumnsOnly() throws {
        let fixture = try StoreFixture()
        let store = try fixture.openInMemory()
        let keys = fixture.keys(3)
        try store.save { $0.inserts = [try fixture.rows("Book", keys.map { ($0, ["title": "t", "large": 1]) })] }
        let read = try store.all(fixture.entity("Book"))
        let changes: [[String: Value]] = [["title": "a"], ["large": 2], ["title": .null, "large": .null]]
        try store.save { $0.updates = [try fixture.update(read) { changes[$0] }] }
        let contents = try store.all(fixture.entity("Book")).contents
        #expect(contents[keys[0]]?["title"] == "a" && contents[keys[0]]?["large"] == 1)
        #expect(contents[keys[1]]?["title"] == "t" && contents[keys[1]]?["large"] == 2)
        #expect(contents[keys[2]]?["title"] == .null && contents[keys[2]]?["large"] == .null)
    }

    @Test("every conflict of a save is told, each with its object, and nothing of the save is stored")
    func conflicts() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open(keepsOutbox: true)
        let keys = fixture.keys(6)
        try store.save { $0.inserts = [try fixture.rows("Author", keys[..<5].map { ($0, ["name": "old"]) })] }
        let read = try store.all(fixture.entity("Author"))
        // Somebody else changes the second and deletes the third.
        let others = try store.rows(of: fixture.entity("Author"), keys: [keys[1]])
        try store.save { request in
            request.updates = [try fixture.update(others) { _ in ["name": "theirs"] }]
            request.deletes = [try fixture.rows("Author", keys[2], version: 1)]
        }
        let before = try (store.all(fixture.entity("Author")).contents, store.history(), store.outboxEntry(keys[0]))
        let error = try #require(throws: BackstitchError.self) {
            try store.save { request in
                request.updates = [try fixture.update(read) { _ in ["name": "mine"] }]
                request.deletes = [try fixture.rows("Author", keys[3], version: 9)]
                request.inserts = [try fixture.rows("Author", [(keys[4], [:]), (keys[5], [:])])]
            }
        }
        #expect(error.code == .saveConflict)
        #expect(error.faults.allSatisfy { $0.code == .saveConflict })
        // The fourth was raised to version 2 by this save's update before its deletion was tried.
        #expect(Set(error.faults.compactMap { $0.objectID?.key }) == [keys[1], keys[2], keys[3], keys[4]])
        #expect(error.faults.contains { $0.message.contains("was changed") && $0.objectID?.key == keys[1] })
        #expect(error.faults.contains { $0.message.contains("was deleted") && $0.objectID?.key == keys[2] })
        #expect(error.faults.contains { $0.message.contains("already") && $0.objectID?.key == keys[4] })
        #expect(try store.all(fixture.entity("Author")).contents == before.0)
        #expect(try store.history() == before.1)
        #expect(try store.outboxEntry(keys[0]) == before.2)
        #expect(try store.readJournal { try $0.lastTransactionNumber() } == 2)
    }

    @Test("a single conflict is told as itself")
    func oneConflict() throws {
        let fixture = try StoreFixture()
        let store = try fixture.openInMemory()
        let key = fixture.generator.next()
        try store.save { $0.inserts = [try fixture.rows("Author", key)] }
        let error = #expect(throws: BackstitchError.self) {
            try store.save { $0.inserts = [try fixture.rows("Author", key)] }
        }
        #expect(error?.objectID == ObjectID(entityName: "Author", key: key))
        #expect(error?.code == .saveConflict)
    }

    @Test("an object may be deleted and inserted again in one save")
    func replaced() throws {
        let fixture = try StoreFixture()
        let store = try fixture.openInMemory()
        let key = fixture.generator.next()
        try store.save { $0.inserts = [try fixture.rows("Author", key, ["name": "old"])] }
        try store.save { request in
            request.deletes = [try fixture.rows("Author", key, version: 1)]
            request.inserts = [try fixture.rows("Author", key, ["name": "new"])]
        }
        let stored = try store.all(fixture.entity("Author"))
        #expect(stored.contents == [key: ["name": "new"]])
        #expect(stored.versions == [1])
    }

    @Test("an empty save writes nothing and gives the last transaction's number")
    func empty() throws {
        let fixture = try StoreFixture()
        let store = try fixture.openInMemory()
        #expect(try store.save { _ in }.transactionNumber == 0)
        try store.save { $0.inserts = [try fixture.rows("Author", fixture.generator.next())] }
        #expect(try store.save { _ in }.transactionNumber == 1)
        #expect(try store.transactions().count == 1)
    }

    @Test("ten thousand rows come back as they were saved")
    func manyRows() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        let rows = fixture.keys(10_000).enumerated().map { index, key in
            (
                key,
                [
                    "title": .string("book \(index)"), "large": .int(Int64(index) * 7_919),
                    "isLent": .bool(index % 2 == 0),
                ] as [String: Value]
            )
        }
        let batch = try fixture.rows("Book", rows)
        try store.save { $0.inserts = [batch] }
        let stored = try store.all(fixture.entity("Book"))
        #expect(stored.keys == batch.keys)
        #expect((0..<10_000).allSatisfy { stored.values(at: $0) == batch.values(at: $0) })
    }

    @Test("an update whose lists are out of step is refused")
    func malformedUpdate() throws {
        let fixture = try StoreFixture()
        let store = try fixture.openInMemory()
        let rows = try fixture.rows("Author", fixture.generator.next())
        try store.save { $0.inserts = [rows] }
        let error = #expect(throws: BackstitchError.self) {
            try store.save { $0.updates = [RowUpdate(rows: rows, originals: rows, changed: [])] }
        }
        #expect(error?.code == .internalInconsistency)
        #expect(try store.transactions().count == 1)
    }
}
