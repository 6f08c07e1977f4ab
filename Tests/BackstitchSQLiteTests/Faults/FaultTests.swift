import Backstitch
import BackstitchSQL
import BackstitchTestKit
import Foundation
import Testing

@testable import BackstitchSQLite

@Suite("Faults of the database")
struct FaultTests {
    @Test("a full disk is an error that says so; nothing of the save is stored, and the store works on")
    func full() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open(keepsOutbox: true)
        let key = fixture.generator.next()
        try store.save { $0.inserts = [try fixture.rows("Author", key, ["name": "a"])] }
        try limitPages(of: store, to: 1)
        let title = Value.string(String(repeating: "x", count: 3_000))
        let error = #expect(throws: BackstitchError.self) {
            try store.save { $0.inserts = [try fixture.rows("Book", fixture.keys(200).map { ($0, ["title": title]) })] }
        }
        #expect(error?.code == .storeFailure)
        #expect(error?.message.contains("full") == true)
        #expect(error?.message.contains(fixture.file.path) == true)
        #expect(try store.all(fixture.entity("Book")).count == 0)
        #expect(try store.all(fixture.entity("Author")).keys == [key])
        #expect(try store.readJournal { try ($0.lastTransactionNumber(), $0.outboxCounts().waiting) } == (1, 1))
        // A deletion needs no further page.
        try store.save { $0.deletes = [try store.all(fixture.entity("Author"))] }
        #expect(try store.all(fixture.entity("Author")).count == 0)
        try limitPages(of: store, to: 1_000_000)
        try store.save { $0.inserts = [try fixture.rows("Book", fixture.keys(200).map { ($0, ["title": title]) })] }
        #expect(try store.all(fixture.entity("Book")).count == 200)
    }

    /// SQLite raises a limit below the file's size to that size. So every further page is refused as if the disk were
    /// full.
    private func limitPages(of store: SQLiteStore, to count: Int) throws {
        try store.database.write {
            try $0.forEachRow(of: SQLStatement(.sqlite, "PRAGMA max_page_count = \(count)")) { _ in }
        }
    }

    @Test("a damaged page is an error, not a wrong row, and names the file")
    func corrupt() throws {
        let fixture = try StoreFixture()
        var store = try fixture.open()
        let name = Value.string(String(repeating: "n", count: 200))
        try store.save { $0.inserts = [try fixture.rows("Author", fixture.keys(500).map { ($0, ["name": name]) })] }
        try store.close()
        let file = DatabaseFile(url: fixture.file)
        let page = try #require(
            try file.int("SELECT rootpage FROM sqlite_master WHERE type = 'table' AND name = 'Author'"))
        let handle = try FileHandle(forUpdating: fixture.file)
        try handle.seek(toOffset: UInt64(page - 1) * 4_096)
        try handle.write(contentsOf: Data(repeating: 0xEE, count: 4_096))
        try handle.close()
        store = try fixture.open()
        let error = #expect(throws: BackstitchError.self) { try store.all(fixture.entity("Author")) }
        #expect(error?.code == .storeFailure)
        #expect(error?.message.contains(fixture.file.path) == true)
        #expect(error?.message.contains("backup") == true)
        #expect(try store.all(fixture.entity("Shelf")).count == 0)
    }

    private static let resultCodes: [(Int32, BackstitchError.Code)] = [
        (13, .storeFailure), (10, .storeFailure), (778, .storeFailure), (5, .storeFailure), (6, .storeFailure),
        (11, .storeFailure), (26, .notADatabase), (8, .readOnly), (14, .storeFailure), (7, .storeFailure),
        (18, .invalidValue), (9, .cancelled), (19, .constraint), (1, .invalidRequest), (21, .internalInconsistency),
    ]

    @Test("codes of SQLite become codes of ours, with the file's name and advice", arguments: resultCodes)
    func codes(_ code: Int32, _ expected: BackstitchError.Code) {
        let error = SQLiteFailure(code: code, message: "m").backstitchError(store: "/x/store.sqlite")
        #expect(error.code == expected)
        #expect(error.message.contains("/x/store.sqlite"))
        #expect(error.cause is SQLiteFailure)
    }

    @Test("a statement that SQLite cannot run is an error of the request")
    func badStatement() throws {
        let store = try StoreFixture().openInMemory()
        let error = #expect(throws: BackstitchError.self) {
            try store.database.read(isSnapshot: false) {
                try $0.forEachRow(of: SQLStatement(.sqlite, "SELECT nothing")) { _ in }
            }
        }
        #expect(error?.code == .invalidRequest)
    }
}
