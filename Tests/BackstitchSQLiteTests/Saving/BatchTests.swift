import Backstitch
import BackstitchSQL
import Foundation
import Testing

@testable import BackstitchSQLite

@Suite("Batch requests in the journal")
struct BatchTests {
    private func insert(_ rows: [RowBatch], _ entity: ResolvedEntity) -> StoreBatchRequest {
        StoreBatchRequest(
            .insert(entity) {
                var rest = rows[...]
                return { _ in rest.popFirst().map { StoreBatchRequest.Part(rows: $0) } }
            }, author: "importer", contextName: "import")
    }

    private func update(
        _ fixture: StoreFixture, _ values: [String: PlannedBatchExpression], where format: String? = nil
    ) throws -> StoreBatchRequest {
        let book = try fixture.entity("Book")
        let predicate = try format.map { try FetchPredicate(format: $0).resolved(for: book, in: fixture.model) }
        return StoreBatchRequest(
            .update(
                StoreFetchRequest(entity: book, predicate: predicate),
                try values.map {
                    BatchAssignment(column: try fixture.property($0.key, of: "Book").slot, expression: $0.value)
                }
            ), author: "importer")
    }

    @Test("an insert is one transaction with its author, and one outbox entry an object", arguments: [false, true])
    func insertJournal(keepsOutbox: Bool) throws {
        let fixture = try StoreFixture()
        let store = try fixture.openInMemory(keepsOutbox: keepsOutbox)
        let keys = fixture.keys(5)
        let parts = [
            try fixture.rows("Book", keys[..<3].map { ($0, ["title": "a"]) }),
            try fixture.rows("Book", keys[3...].map { ($0, ["title": "b"]) }),
        ]
        let changes = try store.execute(insert(parts, fixture.entity("Book")))
        #expect(changes.inserted.map(\.key) == keys)
        #expect(try store.history().map(\.key) == keys)
        #expect(try store.history().allSatisfy { $0.kind == 0 && $0.number == 1 })
        #expect(try store.transactions() == [["1", "1700000000000", "importer", "import"]])
        let entries = try store.readJournal { try $0.outbox(for: keys) }
        #expect(entries.count == (keepsOutbox ? 5 : 0))
        #expect(entries.values.allSatisfy { $0.kind == .insert && $0.sequence == 1 })
    }

    @Test("an update keeps bases in the outbox, of changed fields only", arguments: [false, true])
    func updateJournal(isComputed: Bool) throws {
        let fixture = try StoreFixture()
        let store = try fixture.openInMemory(keepsOutbox: true)
        let keys = fixture.keys(3)
        try store.writeJournal(author: "sync") {
            try $0.upsert(
                fixture.rows("Book", keys.enumerated().map { ($1, ["title": .string("\($0)"), "ratio": 1.0]) }))
        }
        let title = PlannedBatchExpression.constant("new")
        let computed = PlannedBatchExpression.operation(.add, .constant("new"), .constant(""))
        let changes = try store.execute(
            update(fixture, ["title": isComputed ? computed : title, "ratio": .constant(1.0)], where: "title != '1'"))
        #expect(changes.updated.map(\.key) == [keys[0], keys[2]])
        let entry = try #require(try store.outboxEntry(keys[2]))
        #expect(entry.kind == .update)
        #expect(entry.fields == [.init(name: "title", sequence: 2, base: .value("2"))])
        #expect(try store.outboxEntry(keys[1]) == nil)
        let last = try store.history().suffix(2)
        #expect(last.map(\.key) == [keys[0], keys[2]])
        #expect(last.allSatisfy { $0.kind == 1 && $0.number == 2 && $0.properties == "title" })
        #expect(try store.all(fixture.entity("Book")).versions == [2, 1, 2])
    }

    @Test("without an outbox constants are written by one statement, and history tells the same")
    func updateStatement() throws {
        let fixture = try StoreFixture()
        let store = try fixture.openInMemory()
        let keys = fixture.keys(3000)
        try store.save { $0.inserts = [try fixture.rows("Book", keys.map { ($0, ["title": "old"]) })] }
        let before = store.statementCount
        let changes = try store.execute(update(fixture, ["title": .constant("new"), "ratio": .constant(.double(2))]))
        // The update, the number raised and read, the transaction, a look whether the store is synced since, and the
        // changes.
        #expect(store.statementCount - before == 6)
        #expect(Set(changes.updated.map(\.key)) == Set(keys))
        let rows = try store.all(fixture.entity("Book"))
        #expect(rows.versions.allSatisfy { $0 == 2 })
        #expect(try store.history().suffix(3000).allSatisfy { $0.kind == 1 && $0.properties == "title,ratio" })
        #expect(try store.execute(update(fixture, ["title": .constant("new")])).isEmpty)
        #expect(try store.transactions().count == 2)
    }

    @Test("a delete tells of each object once, and unlinked objects keep their bases")
    func deleteJournal() throws {
        let fixture = try StoreFixture()
        let store = try fixture.openInMemory(keepsOutbox: true)
        let shelf = fixture.generator.next(), books = fixture.keys(2)
        let id = ObjectID(entityName: "Shelf", key: shelf)
        try store.writeJournal(author: "sync") { journal in
            try journal.upsert(fixture.rows("Shelf", shelf))
            try journal.upsert(fixture.rows("Book", books.map { ($0, ["shelf": .object(id)]) }))
        }
        let changes = try store.execute(StoreBatchRequest(.delete(StoreFetchRequest(entity: fixture.entity("Shelf")))))
        #expect(changes.deleted == [id])
        #expect(changes.updated.map(\.key) == books)
        let entry = try #require(try store.outboxEntry(books[0]))
        #expect(entry.fields == [.init(name: "shelf", sequence: 2, base: .value(.object(id)))])
        #expect(try store.outboxEntry(shelf)?.kind == .delete)
        #expect(try store.history().suffix(3).map(\.kind).sorted() == [1, 1, 2])
        #expect(try store.all(fixture.entity("Book")).versions == [2, 2])
    }
}
