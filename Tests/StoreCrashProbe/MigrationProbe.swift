import Backstitch
import BackstitchSQL
import BackstitchSQLite
import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A store that is migrated: `Note` with many rows in its first version, `Memo` in its second.
enum MigrationProbe {
    static let rowCount = 4_000
    /// Each such note has a photo. The photos move out of the rows.
    static let rowsOfAPhoto = 20

    static let first = ManagedObjectModel([
        EntityDescription(
            "Note",
            [
                .attribute("title", .string), .attribute("draft", .string), .attribute("number", .integer64),
                .attribute("photo", .binary), .toOne("folder", "Folder", inverse: "notes"),
            ]),
        EntityDescription("Folder", [.attribute("name", .string), .toMany("notes", "Note", inverse: "folder")]),
    ])

    static let second = ManagedObjectModel([
        EntityDescription(
            "Memo",
            [
                .attribute("heading", .string).renamed(from: "title"), .attribute("number", .integer64),
                .attribute("stars", .integer64, optional: false, default: 3),
                .toMany("folders", "Folder", inverse: "memos").renamed(from: "folder"),
                .attribute("photo", .binary, external: true),
            ]
        ).renamed(from: "Note"),
        EntityDescription(
            "Folder",
            [.attribute("name", .string), .toMany("memos", "Memo", inverse: "folders").renamed(from: "notes")]),
    ])

    /// Makes the store in its first version.
    static func make(_ file: URL) throws {
        let store = try open(file, first)
        let model = store.model, generator = ObjectIDGenerator()
        let note = try model.requireEntity(named: "Note"), folder = try model.requireEntity(named: "Folder")
        let folderKey = generator.next()
        var folders = RowBatchBuilder(entity: folder), notes = RowBatchBuilder(entity: note)
        folders.beginRow(key: folderKey, version: 1)
        folders.append(string: "all")
        for number in 0..<rowCount {
            notes.beginRow(key: generator.next(), version: 1)
            notes.append(string: "note \(number)")
            notes.append(string: String(repeating: "x", count: 200))
            notes.append(int: Int64(number))
            notes.append(number % rowsOfAPhoto == 0 ? .data(Data("photo \(number)".utf8)) : .null)
            notes.append(.object(ObjectID(entityName: "Folder", key: folderKey)))
        }
        var request = SaveChangesRequest(author: "probe")
        request.inserts = [folders.finish(), notes.finish()]
        _ = try store.store.save(request)
        try store.store.close()
    }

    /// Opens the store with its second version, and so migrates it; kills itself after some time, if one is given.
    static func migrate(_ file: URL, microseconds: UInt32?) throws {
        guard let microseconds else { return try open(file, second).store.close() }
        Thread.detachNewThread {
            usleep(microseconds)
            kill(getpid(), SIGKILL)
        }
        _ = try open(file, second)
        pause()
    }

    private static func open(_ file: URL, _ model: ManagedObjectModel) throws -> (
        store: SQLiteStore, model: ResolvedModel
    ) {
        let model = try ResolvedModel(model)
        return (try SQLiteStore(StoreConfiguration(model: model, url: file, options: StoreOptions())), model)
    }
}
