import Backstitch
import BackstitchSQL
import BackstitchSupport
import BackstitchTestKit
import Foundation
import Testing

@testable import BackstitchSQLite

@Suite("Look-ups by key, which go past the pool of connections")
struct LookUpTests {
    private static func store(
        _ fixture: StoreFixture, rows count: Int, _ options: [StoreOption: any Sendable] = [:]
    ) throws -> (SQLiteStore, [ObjectKey]) {
        let store = try fixture.open(options: options)
        let keys = fixture.keys(count)
        try store.save { $0.inserts = [try fixture.rows("Numbers", keys.map { ($0, ["n0": 0, "n1": 0]) })] }
        return (store, keys)
    }

    private static func set(_ key: ObjectKey, to value: Int64, _ store: SQLiteStore, _ fixture: StoreFixture) throws {
        let original = try store.rows(of: fixture.entity("Numbers"), keys: [key])
        try store.save { $0.updates = [fixture.update(original) { _ in ["n0": .int(value), "n1": .int(value)] }] }
    }

    private static func value(_ key: ObjectKey, _ store: SQLiteStore, _ fixture: StoreFixture) throws -> Value? {
        try store.rows(of: fixture.entity("Numbers"), keys: [key]).contents[key]?["n0"]
    }

    @Test("a look-up sees what was saved last, by this store or by another on the file, and takes one statement")
    func newest() throws {
        let fixture = try StoreFixture()
        // Without the feed, because it reads the other's saves with statements of its own.
        let (store, keys) = try Self.store(fixture, rows: 3, [.sqliteFollowsOtherProcesses: false])
        let other = try fixture.open()
        for (index, writer) in [store, other, store, other].enumerated() {
            try Self.set(keys[1], to: Int64(index), writer, fixture)
            let before = store.statementCount
            #expect(try Self.value(keys[1], store, fixture) == .int(Int64(index)))
            #expect(store.statementCount == before + 1)
        }
        #expect(try Self.value(fixture.generator.next(), store, fixture) == nil)
        let several = try store.rows(of: fixture.entity("Numbers"), keys: [keys[2], keys[0]])
        #expect(several.keys.sorted() == [keys[0], keys[2]])
    }

    @Test(
        "inside an open journal a look-up sees the journal's state, not a newer one; in one that writes, what it wrote")
    func journals() throws {
        let fixture = try StoreFixture()
        let (store, keys) = try Self.store(fixture, rows: 1)
        #expect(try Self.value(keys[0], store, fixture) == 0)
        let other = try fixture.open()
        try store.readJournal { journal in
            _ = try journal.lastTransactionNumber()
            try Self.set(keys[0], to: 5, other, fixture)
            #expect(try Self.value(keys[0], store, fixture) == 0)
        }
        #expect(try Self.value(keys[0], store, fixture) == 5)
        try store.writeJournal(author: "test") { journal in
            let key = fixture.generator.next()
            try journal.upsert(fixture.rows("Numbers", key, ["n0": 7]))
            #expect(try Self.value(key, store, fixture) == 7)
        }
    }

    @Test("whatever changes the tables beside a store, look-ups answer as fetches do")
    func changedTables() throws {
        let fixture = try StoreFixture()
        let (store, keys) = try Self.store(fixture, rows: 2)
        let file = DatabaseFile(url: fixture.file)
        let numbers = try fixture.entity("Numbers")
        #expect(try Self.value(keys[0], store, fixture) == 0)
        for change in [
            "ALTER TABLE \"Numbers\" ADD COLUMN added INTEGER", "CREATE INDEX later ON \"Numbers\" (n0)", "VACUUM",
            "PRAGMA wal_checkpoint(TRUNCATE)", "UPDATE \"Numbers\" SET n0 = 3",
        ] {
            try file.execute(change)
            let fetched = try store.fetch(StoreFetchRequest(entity: numbers))
            for key in keys {
                #expect(try Self.value(key, store, fixture) == fetched.contents[key]?["n0"], "after \(change)")
            }
        }
        // As another program's migration may leave it.
        try file.execute("ALTER TABLE \"Numbers\" RENAME COLUMN n0 TO elsewhere")
        let fetching = #expect(throws: BackstitchError.self) { try store.fetch(StoreFetchRequest(entity: numbers)) }
        let lookingUp = #expect(throws: BackstitchError.self) { try Self.value(keys[0], store, fixture) }
        #expect(fetching?.code == lookingUp?.code)
        try file.execute("ALTER TABLE \"Numbers\" RENAME COLUMN elsewhere TO n0")
        #expect(try Self.value(keys[0], store, fixture) == 3)
    }

    @Test("threads that look up at once all get whole rows, while another saves")
    func threads() throws {
        let fixture = try StoreFixture()
        let (store, keys) = try Self.store(fixture, rows: 20)
        let isDone = Locked(false), looked = Locked(0)
        let threads = Threads(), writer = Threads()
        for reader in 0..<4 {
            threads.start {
                var count = 0
                while !isDone.withLock({ $0 }) || count < 100 {
                    let key = keys[(count + reader) % keys.count]
                    let row = try store.rows(of: fixture.entity("Numbers"), keys: [key]).contents[key]
                    guard let row, row["n0"] == row["n1"] else {
                        throw BackstitchError(.internalInconsistency, "half a row: \(String(describing: row))")
                    }
                    count += 1
                }
                looked.withLock { $0 += count }
            }
        }
        writer.start {
            defer { isDone.withLock { $0 = true } }
            for value in 1...100 { try Self.set(keys[value % keys.count], to: Int64(value), store, fixture) }
        }
        try writer.join()
        try threads.join()
        #expect(looked.withLock { $0 } >= 400)
    }

    @Test("a store is in use while it is open, and closing it lets go of every file and ends look-ups")
    func closing() throws {
        let fixture = try StoreFixture()
        let (store, keys) = try Self.store(fixture, rows: 1)
        #expect(try Self.value(keys[0], store, fixture) == 0)
        let inUse = #expect(throws: BackstitchError.self) {
            try SQLiteStore.destroy(at: fixture.file, options: store.configuration.options)
        }
        #expect(inUse?.code == .storeFailure)
        #expect(try Self.value(keys[0], store, fixture) == 0)
        try store.close()
        let closed = #expect(throws: BackstitchError.self) { try Self.value(keys[0], store, fixture) }
        #expect(closed?.code == .storeClosed)
        #expect(try DatabaseFile(url: fixture.file).folderContents().keys.sorted() == ["store.sqlite"])
        try SQLiteStore.destroy(at: fixture.file, options: store.configuration.options)
        #expect(try DatabaseFile(url: fixture.file).folderContents().isEmpty)
    }
}
