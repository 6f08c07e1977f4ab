import Backstitch
import BackstitchSQL
import BackstitchSupport
import BackstitchTestKit
import Foundation
import Testing

@testable import BackstitchSQLite

@Suite("Opening a SQLite store")
struct OpeningTests {
    @Test("a new store is made, with its folders where an option says so; closed and opened again it is the same")
    func createsAndReopens() throws {
        let fixture = try StoreFixture()
        let url = fixture.folder.appending(path: "a/b/store.sqlite")
        let store = try fixture.open(at: url, options: [.createsParentFolders: true])
        let key = fixture.generator.next()
        try store.save { $0.inserts = [try fixture.rows("Author", key, ["name": "Ada"])] }
        try store.close()
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: url.deletingLastPathComponent().path) == [
                "store.sqlite"
            ])
        let again = try fixture.open(at: url)
        #expect(again.identifier == store.identifier)
        #expect(try again.all(fixture.entity("Author")).contents == [key: ["name": "Ada"]])
    }

    @Test("a folder that is missing is not made; the error names the uppermost one", arguments: ["a", "a/b", "a/b/c"])
    func missingFolder(_ path: String) throws {
        let fixture = try StoreFixture()
        let url = fixture.folder.appending(path: path).appending(path: "store.sqlite")
        let error = try #require(throws: BackstitchError.self) { _ = try fixture.open(at: url) }
        #expect(error.code == .storeNotFound && error.key == "createsParentFolders")
        #expect(error.message.contains("the folder \(fixture.folder.appending(path: "a").path), in which"), "\(error)")
        #expect(error.message.contains("createsParentFolders"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path) == [])
    }

    @Test("another store has another identifier")
    func identifiers() throws {
        let fixture = try StoreFixture()
        #expect(try fixture.openInMemory().identifier != fixture.openInMemory().identifier)
    }

    @Test("only their owner can read the store's files, whatever the umask")
    func modes() throws {
        let before = umask(0)
        defer { umask(before) }
        let fixture = try StoreFixture()
        let url = fixture.folder.appending(path: "new/store.sqlite")
        let store = try fixture.open(at: url, options: [.createsParentFolders: true])
        try store.save { $0.inserts = [try fixture.rows("Author", fixture.generator.next())] }
        _ = try store.assets.write(Data("x".utf8))
        func mode(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        for ending in ["", "-wal", "-shm"] { #expect(try mode(url.path + ending) == 0o600) }
        #expect(try mode(url.path + "-assets") == 0o700)
        #expect(try mode(url.deletingLastPathComponent().path) == 0o700)
    }

    @Test("the file names its application and format")
    func headers() throws {
        let fixture = try StoreFixture()
        try fixture.open().close()
        let file = DatabaseFile(url: fixture.file)
        #expect(try file.int("PRAGMA application_id") == 0x4273_7463)
        #expect(try file.int("PRAGMA user_version") == 2)
        #expect(try file.strings("PRAGMA journal_mode") == ["wal"])
    }

    @Test("an empty file, and a database in which nobody has stored anything, become stores")
    func blankFiles() throws {
        for isDatabase in [false, true] {
            let fixture = try StoreFixture()
            try Data().write(to: fixture.file)
            if isDatabase {
                try DatabaseFile(url: fixture.file).execute("CREATE TABLE t (a)", "DROP TABLE t", "VACUUM")
            }
            let store = try fixture.open()
            #expect(try store.all(fixture.entity("Author")).count == 0)
            try store.close()
            #expect(try DatabaseFile(url: fixture.file).integrity() == ["ok"])
        }
    }

    @Test("a store that others make, write and close at once is never taken for a damaged one")
    func openedWhileOthersClose() throws {
        for _ in 0..<30 {
            let fixture = try StoreFixture()
            let threads = Threads()
            for _ in 0..<4 {
                threads.start {
                    for _ in 0..<4 {
                        let store = try fixture.open()
                        try store.save { $0.inserts = [try fixture.rows("Author", fixture.generator.next())] }
                        try store.close()
                    }
                }
            }
            try threads.join()
            #expect(try fixture.open().all(fixture.entity("Author")).count == 16)
        }
    }

    @Test(
        "names with special characters are names",
        arguments: ["a?b#c.sqlite", "100%25 é.sqlite", "a b&mode=memory.sqlite", "':\"x.sqlite"])
    func names(_ name: String) throws {
        let fixture = try StoreFixture()
        let url = fixture.folder.appending(path: name)
        try fixture.open(at: url).close()
        #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path) == [url.lastPathComponent])
        let store = try fixture.open(at: url)
        #expect(try store.all(fixture.entity("Author")).count == 0)
    }

    @Test(
        "how hard saves are pressed onto the disk: FULL for stores that sync, else NORMAL, unless an option says otherwise"
    )
    func synchronous() throws {
        func level(_ options: [StoreOption: any Sendable], _ keepsOutbox: Bool) throws -> Int64 {
            let fixture = try StoreFixture()
            defer { withExtendedLifetime(fixture) {} }
            let store = try fixture.open(options: options, keepsOutbox: keepsOutbox)
            var level: Int64 = -1
            try store.database.write { connection in
                try connection.forEachRow(of: SQLStatement(.sqlite, "PRAGMA synchronous")) { level = $0.int(0) }
            }
            return level
        }
        #expect(try level([:], false) == 1)
        #expect(try level([:], true) == 2)
        #expect(try level([.sqliteSynchronous: "NORMAL"], true) == 1)
        #expect(try level([.sqliteSynchronous: "OFF"], false) == 0)
        #expect(throws: BackstitchError.self) { try level([.sqliteSynchronous: "EXTRA"], false) }
        #expect(throws: BackstitchError.self) { try level([.sqliteMaximumReaderCount: 0], false) }
    }

    @Test("each connection keeps as many KiB of the file in memory as the option says, 8,192 unless given")
    func cacheSize() throws {
        func size(_ options: [StoreOption: any Sendable]) throws -> [Int64] {
            let fixture = try StoreFixture()
            defer { withExtendedLifetime(fixture) {} }
            let store = try fixture.open(options: options)
            var sizes: [Int64] = []
            let statement = SQLStatement(.sqlite, "PRAGMA cache_size")
            try store.database.write { try $0.forEachRow(of: statement) { sizes.append($0.int(0)) } }
            try store.database.readOnce { try $0.forEachRow(of: statement) { sizes.append($0.int(0)) } }
            return sizes
        }
        // SQLite counts pages for a positive number, and KiB for a negative one.
        #expect(try size([:]) == [-8_192, -8_192])
        #expect(try size([.sqliteCacheSize: 64]) == [-64, -64])
        for wrong in [63, -1, 4_194_305] {
            #expect(throws: BackstitchError.self) { try size([.sqliteCacheSize: wrong]) }
        }
    }

    @Test("a wait without end may be asked for")
    func endlessWait() throws {
        let fixture = try StoreFixture(), key = fixture.generator.next()
        let store = try fixture.open(options: [.sqliteBusyTimeout: Double.greatestFiniteMagnitude])
        try store.save { $0.inserts = [try fixture.rows("Author", key)] }
        #expect(try store.rows(of: fixture.entity("Author"), keys: [key]).count == 1)
        try store.close()
    }

    @Test("whoever waits for the disk waits for its platters, where the system tells these apart")
    func platters() throws {
        func isAsked(_ database: SQLiteDatabase) throws -> Bool {
            var flag: Int64 = -1
            try database.write { connection in
                try connection.forEachRow(of: SQLStatement(.sqlite, "PRAGMA fullfsync")) { flag = $0.int(0) }
            }
            return flag == 1
        }
        let fixture = try StoreFixture()
        for level in ["NORMAL", "FULL"] {
            let store = try fixture.open(options: [.sqliteSynchronous: level])
            #expect(try isAsked(store.database))
            try store.close()
        }
        let file = fixture.folder.appending(path: "tables.sqlite")
        try Data().write(to: file)
        let tables = try SQLiteTables.open(file.path, applicationID: 7)
        #expect(try isAsked(tables))
        try tables.close()
    }

    @Test("letting a store go closes it: the log is moved into the file")
    func letGo() throws {
        let fixture = try StoreFixture()
        var store: SQLiteStore? = try fixture.open()
        try store?.save { $0.inserts = [try fixture.rows("Author", fixture.generator.next())] }
        store = nil
        #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path) == ["store.sqlite"])
    }
}
