import Backstitch
import BackstitchTestKit
import Foundation
import Testing

@testable import BackstitchSQLite

@Suite("Files that are refused, and stay as they are")
struct RefusalTests {
    /// Opens the fixture's file, which must fail with this code. Every file in the folder must stay untouched, without
    /// new ones. (SQLite's index of the log is shared memory, and may note a reader.)
    private func refusal(
        _ fixture: StoreFixture, _ code: BackstitchError.Code, model: ManagedObjectModel? = nil
    ) throws -> BackstitchError {
        let file = DatabaseFile(url: fixture.file)
        let before = try file.folderContents()
        let isShared: (String) -> Bool = { $0.hasSuffix("-shm") }
        let opener = try model.map { try StoreFixture($0) } ?? fixture
        let error = try #require(throws: BackstitchError.self) { _ = try opener.open(at: fixture.file) }
        #expect(error.code == code, "\(error)")
        #expect(error.message.contains(fixture.file.path), "\(error)")
        let after = try file.folderContents()
        #expect(after.keys.sorted() == before.keys.sorted())
        #expect(after.filter { !isShared($0.key) } == before.filter { !isShared($0.key) })
        return error
    }

    @Test(
        "a file that is no database",
        arguments: [
            Data("hello".utf8), Data(repeating: 0x41, count: 100_000),
            Data("SQLite format 3\u{0}".utf8) + Data(repeating: 0xFF, count: 8_000),
        ])
    func noDatabase(_ content: Data) throws {
        let fixture = try StoreFixture()
        try content.write(to: fixture.file)
        _ = try refusal(fixture, .notADatabase)
    }

    @Test("a folder")
    func folder() throws {
        let fixture = try StoreFixture()
        try FileManager.default.createDirectory(at: fixture.file, withIntermediateDirectories: false)
        _ = try refusal(fixture, .notADatabase)
    }

    @Test("a database of another program, with an application id or without", arguments: [0, 42])
    func foreign(_ applicationID: Int) throws {
        let fixture = try StoreFixture()
        try DatabaseFile(url: fixture.file)
            .execute("CREATE TABLE t (a)", "INSERT INTO t VALUES (1)", "PRAGMA application_id = \(applicationID)")
        let error = try refusal(fixture, .notADatabase)
        #expect(error.message.contains("another program"))
    }

    @Test("a database of another program whose log is not yet in the file")
    func foreignWithLog() throws {
        let fixture = try StoreFixture()
        let source = fixture.folder.appending(path: "source.sqlite")
        try DatabaseFile(url: source).execute(
            "PRAGMA journal_mode = WAL", "PRAGMA application_id = 42", "CREATE TABLE t (a)")
        try FileManager.default.moveItem(at: source, to: fixture.file)
        try Data(repeating: 7, count: 5_000).write(to: URL(fileURLWithPath: fixture.file.path + "-wal"))
        _ = try refusal(fixture, .notADatabase)
    }

    @Test("a store of another model: the error says what differs")
    func otherModel() throws {
        let fixture = try StoreFixture()
        try fixture.open().close()
        let other = ManagedObjectModel([
            EntityDescription("Author", [.attribute("name", .integer64), .attribute("born", .date)])
        ])
        let error = try refusal(fixture, .modelMismatch, model: other)
        for difference in [
            "Author.name changed from string to integer64", "Author.born was added", "entity Book was removed",
        ] {
            #expect(error.message.contains(difference))
        }
    }

    @Test("a store of another model that is in use, log and all, works on")
    func otherModelInUse() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        let keys = fixture.keys(2)
        try store.save { $0.inserts = [try fixture.rows("Author", keys[0])] }
        let other = ManagedObjectModel([EntityDescription("Thing", [.attribute("name", .string)])])
        _ = try refusal(fixture, .modelMismatch, model: other)
        // Looking at the file must not have let go of this process's locks on it: another process still sees it in use.
        try store.save { $0.inserts = [try fixture.rows("Author", keys[1])] }
        #expect(try store.all(fixture.entity("Author")).count == 2)
    }

    @Test(
        "a store of a newer format, or of one from before the first release",
        arguments: [
            (3, BackstitchError.Code.newerFormat, "update the program"), (1, .storeFailure, "make the store anew"),
        ])
    func otherFormat(_ format: Int, _ code: BackstitchError.Code, _ advice: String) throws {
        let fixture = try StoreFixture()
        try fixture.open().close()
        try DatabaseFile(url: fixture.file).execute("PRAGMA user_version = \(format)")
        let error = try refusal(fixture, code)
        #expect(error.message.contains(advice))
    }

    @Test("a store that was cut off")
    func truncated() throws {
        let fixture = try StoreFixture()
        try fixture.open().close()
        let handle = try FileHandle(forWritingTo: fixture.file)
        try handle.truncate(atOffset: 6_000)
        try handle.close()
        _ = try refusal(fixture, .storeFailure)
    }

    @Test("a store that was left in the middle of moving its log into the file is no damaged one")
    func halfCheckpointed() throws {
        let fixture = try StoreFixture()
        var store: SQLiteStore? = try fixture.open()
        let keys = fixture.keys(2_000)
        try store?.save { $0.inserts = [try fixture.rows("Author", keys.map { ($0, ["name": "n"]) })] }
        // The files on disk now are those that a killed process leaves. The first page is moved by hand: it says how
        // long the file is.
        let copy = fixture.folder.appending(path: "copy.sqlite")
        try FileManager.default.copyItem(at: fixture.file, to: copy)
        try FileManager.default.copyItem(atPath: fixture.file.path + "-wal", toPath: copy.path + "-wal")
        try store?.close()
        store = nil
        let handle = try FileHandle(forWritingTo: copy)
        try handle.write(contentsOf: Data(contentsOf: fixture.file).prefix(4_096))
        try handle.close()
        let other = ManagedObjectModel([EntityDescription("Thing", [.attribute("name", .string)])])
        let error = #expect(throws: BackstitchError.self) { try StoreFixture(other).open(at: copy) }
        #expect(error?.code == .modelMismatch)
        let again = try fixture.open(at: copy)
        #expect(try again.all(fixture.entity("Author")).count == 2_000)
    }

    /// A rollback journal as SQLite writes it before the first transaction of a file: nothing was there.
    private static let journalOfNothing: Data = {
        let numbers: [UInt32] = [0, 0x66CE_45DA, 0, 512, 4_096]
        let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
        let header: [UInt8] = magic + numbers.flatMap { number in withUnsafeBytes(of: number.bigEndian) { Array($0) } }
        return Data(header) + Data(repeating: 0, count: 512 - header.count)
    }()

    @Test("a store whose making the power cut off within its first page, with its journal beside it, is made anew")
    func halfMade() throws {
        let fixture = try StoreFixture()
        try Data(repeating: 0, count: 4_096).write(to: fixture.file)
        try Self.journalOfNothing.write(to: URL(filePath: fixture.file.path + "-journal"))
        let store = try fixture.open()
        #expect(try store.all(fixture.entity("Author")).count == 0)
        try store.close()
    }

    @Test("a file that is no database, with something beside it that is no journal")
    func noJournal() throws {
        let fixture = try StoreFixture()
        try Data("hello".utf8).write(to: fixture.file)
        try Data("hello".utf8).write(to: URL(filePath: fixture.file.path + "-journal"))
        _ = try refusal(fixture, .notADatabase)
    }

    @Test("a URL that is no file's")
    func noFileURL() throws {
        let fixture = try StoreFixture()
        let error = #expect(throws: BackstitchError.self) { try fixture.open(at: URL(string: "https://example.org/x")) }
        #expect(error?.code == .invalidRequest)
    }

    @Test("a model whose names are taken makes no file")
    func reservedName() throws {
        let fixture = try StoreFixture(
            ManagedObjectModel([EntityDescription("backstitch_outbox", [.attribute("name", .string)])]))
        let error = #expect(throws: BackstitchError.self) { try fixture.open() }
        #expect(error?.code == .invalidModel)
        #expect(!FileManager.default.fileExists(atPath: fixture.file.path))
    }
}
