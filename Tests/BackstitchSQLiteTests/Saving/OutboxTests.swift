import Backstitch
import BackstitchSQL
import Foundation
import Testing

@testable import BackstitchSQLite

@Suite("The outbox that saves fill")
struct OutboxTests {
    @Test("a store that does not sync keeps none")
    func notKept() throws {
        let fixture = try StoreFixture()
        let store = try fixture.openInMemory()
        try store.save { $0.inserts = [try fixture.rows("Author", fixture.generator.next())] }
        #expect(try store.readJournal { try $0.outboxCounts() } == (0, 0))
    }

    @Test("an update keeps the values before it as bases, of every kind")
    func bases() throws {
        let fixture = try StoreFixture()
        let store = try fixture.openInMemory(keepsOutbox: true)
        let key = fixture.generator.next(), shelf = ObjectID(entityName: "Shelf", key: fixture.generator.next())
        let before: [String: Value] = [
            "title": "e\u{301}\u{0}", "price": .decimal(Decimal(string: "1.50")!), "ratio": .double(-0.0),
            "printed": .date(.distantPast),
            "token": .uuid(UUID()), "cover": .asset(AssetReference(checksum: "x", size: 3)), "shelf": .object(shelf),
        ]
        try store.writeJournal(author: "sync") { try $0.upsert(fixture.rows("Book", key, before)) }
        let read = try store.all(fixture.entity("Book"))
        try store.save { $0.updates = [try fixture.update(read) { _ in before.mapValues { _ in .null } }] }
        let entry = try #require(try store.outboxEntry(key))
        #expect(entry.kind == .update)
        #expect(
            Dictionary(uniqueKeysWithValues: entry.fields.map { ($0.name, $0.base) }) == before.mapValues { .value($0) }
        )
        #expect(entry.fields.map(\.name) == before.keys.sorted())
    }

    @Test("every possible log of up to four saves gives the entry that its history says")
    func exhaustive() throws {
        let fixture = try StoreFixture()
        for attempted in [Int64(0), 2] {
            let store = try fixture.openInMemory(keepsOutbox: true)
            for log in Self.logs(upTo: 4) { try check(log, attempted: attempted, fixture, store) }
        }
    }

    private enum Operation: CaseIterable { case insert, setTitle, setLarge, delete }

    private static func logs(upTo length: Int) -> [[Operation]] {
        var all: [[Operation]] = [], newest: [[Operation]] = [[]]
        for _ in 0..<length {
            newest = newest.flatMap { log in Operation.allCases.map { log + [$0] } }
            all += newest
        }
        return all.filter { log in
            var isThere = false
            return log.allSatisfy { operation in
                defer { isThere = operation == .insert || (operation != .delete && isThere) }
                return (operation == .insert) != isThere
            }
        }
    }

    /// Plays the log on a new object, and compares the outbox with what the log as a whole asks for.
    private func check(_ log: [Operation], attempted: Int64, _ fixture: StoreFixture, _ store: SQLiteStore) throws {
        let key = fixture.generator.next(), book = try fixture.entity("Book")
        let start = try store.readJournal { try $0.lastTransactionNumber() }
        try store.writeJournal(author: "sync") { (journal) throws in
            try journal.setMetadata(
                withUnsafeBytes(of: (start + attempted).littleEndian) { Data($0) }, for: "sync.attempted")
        }
        for (step, operation) in log.enumerated() {
            try store.save { request in
                switch operation {
                case .insert: request.inserts = [try fixture.rows("Book", key, ["title": "new", "large": 0])]
                case .delete: request.deletes = [try store.rows(of: book, keys: [key])]
                case .setTitle, .setLarge:
                    let values: [String: Value] =
                        operation == .setTitle ? ["title": .string("t\(step)")] : ["large": .int(Int64(step))]
                    request.updates = [try fixture.update(store.rows(of: book, keys: [key])) { _ in values }]
                }
            }
        }
        let entry = try store.outboxEntry(key)
        let inserts = log.indices.filter { log[$0] == .insert }, deletes = log.indices.filter { log[$0] == .delete }
        let isSent = inserts.contains { Int64($0 + 1) <= attempted }
        switch log.last {
        case .delete:
            #expect((entry != nil) == isSent, "\(log)")
            #expect(entry.map { $0.kind == .delete && $0.fields.isEmpty } ?? true)
        default:
            let isAgain = deletes.contains { delete in inserts.contains { $0 < delete && Int64($0 + 1) <= attempted } }
            #expect(entry?.kind == (isAgain ? .update : .insert), "\(log)")
            let life = log[(inserts.last ?? 0)...]
            let set = Set(life.compactMap { $0 == .setTitle ? "title" : $0 == .setLarge ? "large" : nil })
            let names = Set(entry?.fields.map(\.name) ?? [])
            #expect(isAgain ? names == Set(book.columns.map(\.name)) : names == set, "\(log)")
        }
        if let entry { #expect(entry.sequence == start + Int64(log.count), "\(log)") }
    }

    @Test("entries wait in the order of their sequences, blocked ones apart")
    func order() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open(keepsOutbox: true)
        let keys = fixture.keys(5)
        for key in keys.reversed() { try store.save { $0.inserts = [try fixture.rows("Author", key)] } }
        try store.writeJournal(author: "sync") { (journal) throws in
            var entry = try #require(try journal.outbox(for: [keys[3]])[keys[3]])
            entry.blockedReason = "too large"
            try journal.putOutbox([entry])
        }
        try store.readJournal { (journal) throws in
            #expect(
                try journal.outbox(after: 0, limit: 10).map(\.objectID.key) == [keys[4], keys[2], keys[1], keys[0]])
            #expect(try journal.outbox(after: 3, limit: 1).map(\.objectID.key) == [keys[1]])
            #expect(try journal.outbox(after: 5, limit: 10).isEmpty)
            #expect(try journal.blockedOutbox().map(\.blockedReason) == ["too large"])
            #expect(try journal.outboxCounts() == (4, 1))
        }
        let read = try store.rows(of: fixture.entity("Author"), keys: [keys[3]])
        try store.save { $0.updates = [try fixture.update(read) { _ in ["name": "short"] }] }
        #expect(try store.readJournal { try $0.outboxCounts() } == (5, 0))
    }
}
