import Backstitch
import BackstitchSQL
import BackstitchTestKit
import Foundation
import Testing

@testable import BackstitchSQLite

@Suite("a store whose files are taken away while it is open")
struct MovedStoreTests {
    @Test(
        "takes no write, whatever has become of them and however it is written, and says so", arguments: Fate.allCases)
    func writes(_ fate: Fate) throws {
        let world = try MovedStore()
        let errors = try world.afterFate(fate) { store in
            var errors: [BackstitchError] = []
            for (way, write) in Self.ways {
                let error = try #require(
                    throws: BackstitchError.self, "\(way) after \(fate)", performing: { try write(world, store) })
                #expect(error.code == .storeMoved, "\(way) after \(fate): \(error)")
                errors.append(error)
            }
            // The file that is open is read on.
            if fate != .emptied { #expect(try store.all(world.entity).count == 1, "after \(fate)") }
            return errors
        }
        for error in errors {
            for word in fate.words { #expect(error.message.contains(word), "\(fate): \(error)") }
        }
    }

    @Test("takes writes again when they are back", arguments: [Fate.moved, .folderRenamed])
    func back(_ fate: Fate) throws {
        let world = try MovedStore()
        try world.afterFate(fate) { store in
            #expect(throws: BackstitchError.self) { try world.add(to: store) }
            try fate.undo(world)
            try world.add(to: store)
            #expect(try store.all(world.entity).count == 2)
        }
        #expect(try world.fixture.open(at: world.file).all(world.entity).count == 2)
    }

    @Test("never reads another file that is in their place")
    func otherFile() throws {
        let world = try MovedStore()
        let store = try world.fixture.open(at: world.file), key = try world.add(to: store)
        try Fate.replaced.happen(world)
        // The backup lacks the object. The connection for look-ups was not open yet, so the one that is open reads.
        #expect(try store.rows(of: world.entity, keys: [key]).count == 1)
        #expect(world.code { try store.makeSnapshot() } == .storeMoved)
        // Each reader but the first has to be opened.
        try store.database.read(isSnapshot: false) { _ in
            let other = DispatchQueue(label: "other").sync { world.code { try store.all(world.entity) } }
            #expect(other == .storeMoved)
        }
        try store.close()
    }

    @Test("makes no folder for assets where its own was")
    func assets() throws {
        let world = try MovedStore()
        try world.afterFate(.folderRenamed) { store in
            let data = Data("photo".utf8), reference = store.assets.reference(to: data)
            #expect(
                world.code {
                    try store.save { request in
                        request.assets = [reference: .data(data)]
                        request.inserts = [try world.fixture.rows("Author", world.fixture.generator.next())]
                    }
                } != nil)
            #expect(!FileManager.default.fileExists(atPath: world.folder.path))
        }
    }

    @Test("of tables without a store around them is refused as well")
    func tables() throws {
        let world = try MovedStore()
        try Data().write(to: world.file)
        let tables = try SQLiteTables.open(world.file.path, applicationID: 7)
        try tables.write { try $0.run(SQLStatement(.sqlite, "CREATE TABLE t (a)")) }
        try Fate.deleted.happen(world)
        #expect(
            world.code { try tables.write { try $0.run(SQLStatement(.sqlite, "INSERT INTO t VALUES (1)")) } }
                == .storeMoved)
        try tables.close()
    }

    private static let ways: [(String, @Sendable (MovedStore, SQLiteStore) throws -> Void)] = [
        ("a save", { world, store in try world.add(to: store) }),
        (
            "a batch",
            { world, store in
                _ = try store.execute(StoreBatchRequest(.delete(StoreFetchRequest(entity: world.entity))))
            }
        ),
        (
            "a write of the journal",
            { _, store in try store.writeJournal(author: "sync") { try $0.setMetadata(Data(), for: "a") } }
        ),
        ("a wait for the disk", { _, store in try store.makeDurable() }),
    ]
}

/// A fate of the files of a store.
enum Fate: CaseIterable, Sendable {
    case deleted, deletedWithoutLog, moved, folderRenamed, replaced, replacedWithLog, emptied, logDeleted, logReplaced

    /// Words that the error must have.
    var words: [String] {
        switch self {
        case .deleted, .folderRenamed: ["is gone"]
        case .deletedWithoutLog, .moved: ["is gone", "store.sqlite-wal"]
        case .replaced: ["another file", "remove", "store.sqlite-wal"]
        case .replacedWithLog: ["another file", "open it anew"]
        case .emptied: ["was emptied", "backup"]
        case .logDeleted, .logReplaced: ["the log", "store.sqlite-wal"]
        }
    }

    func happen(_ world: MovedStore) throws {
        let files = FileManager.default, path = world.file.path
        let ends = ["", "-wal", "-shm"]
        switch self {
        case .deleted: for end in ends { try files.removeItem(atPath: path + end) }
        case .deletedWithoutLog: try files.removeItem(atPath: path)
        case .moved: try files.moveItem(atPath: path, toPath: path + "-aside")
        case .folderRenamed: try files.moveItem(at: world.folder, to: world.aside)
        case .replaced:
            guard rename(world.backup.path, path) == 0 else { throw CocoaError(.fileWriteUnknown) }
        case .replacedWithLog:
            for end in ends { try files.removeItem(atPath: path + end) }
            try files.copyItem(at: world.backup, to: world.file)
        case .emptied: truncate(path, 0)
        case .logDeleted: try files.removeItem(atPath: path + "-wal")
        case .logReplaced:
            try files.removeItem(atPath: path + "-wal")
            try Data().write(to: URL(filePath: path + "-wal"))
        }
    }

    func undo(_ world: MovedStore) throws {
        let files = FileManager.default, path = world.file.path
        switch self {
        case .moved: try files.moveItem(atPath: path + "-aside", toPath: path)
        case .folderRenamed: try files.moveItem(at: world.aside, to: world.folder)
        default: throw CocoaError(.featureUnsupported)
        }
    }
}

/// A store in a folder, and a backup of it from before its first object.
struct MovedStore: Sendable {
    let fixture: StoreFixture
    let entity: ResolvedEntity

    init() throws {
        fixture = try StoreFixture()
        entity = try fixture.entity("Author")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        try fixture.open(at: backup).close()
    }

    var folder: URL { fixture.folder.appending(path: "box") }
    var aside: URL { fixture.folder.appending(path: "aside") }
    var file: URL { folder.appending(path: "store.sqlite") }
    var backup: URL { fixture.folder.appending(path: "backup.sqlite") }

    /// Runs `body` with a store of one object and open readers, after this has happened to its files.
    @discardableResult
    func afterFate<Result>(_ fate: Fate, _ body: (SQLiteStore) throws -> Result) throws -> Result {
        let store = try fixture.open(at: file)
        try add(to: store)
        #expect(try store.all(entity).count == 1)
        try fate.happen(self)
        let result = try body(store)
        try store.close()
        return result
    }

    @discardableResult
    func add(to store: SQLiteStore) throws -> ObjectKey {
        let key = fixture.generator.next()
        try store.save { $0.inserts = [try fixture.rows("Author", key)] }
        return key
    }

    /// The code of the error that `body` throws.
    func code<Result>(_ body: () throws -> Result) -> BackstitchError.Code? {
        do {
            _ = try body()
            return nil
        } catch { return (error as? BackstitchError)?.code }
    }
}
