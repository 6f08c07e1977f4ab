import Backstitch
import BackstitchSQL
import BackstitchSQLite
import BackstitchTestKit
import Foundation
import Testing

@Suite("Stores that are copied elsewhere, removed, and read only")
struct StoreMoveTests {
    private func inFolder(_ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "backstitch-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder)
    }

    @Test("unsent changes go along, and history's numbers go on behind those that they refer to")
    func outbox() async throws {
        let fixture = try StoreFixture()
        let store = try fixture.open(keepsOutbox: true)
        let keys = fixture.keys(3)
        for key in keys { try store.save { $0.inserts = [try fixture.rows("Author", key)] } }
        try store.writeJournal(author: "sync") { journal in
            try journal.removeOutbox([keys[0]])
            try journal.putRecordStates([
                RecordState(objectID: ObjectID(entityName: "Author", key: keys[0]), changeTag: "t")
            ])
            try journal.setMetadata(Data([1]), for: "sync.token")
        }
        let before = try store.readJournal { try $0.outbox(after: 0, limit: 10) }
        try store.close()
        let coordinator = try PersistentStoreCoordinator(
            model: fixture.model.model, store: .init(type: .sqlite, url: fixture.file))
        let target = fixture.folder.appending(path: "copy.sqlite")
        let copy = try #require(
            try coordinator.migratePersistentStore(coordinator.store, to: .init(type: .sqlite, url: target))
                as? SQLiteStore)
        try copy.readJournal { (journal) throws in
            #expect(try journal.outbox(after: 0, limit: 10) == before)
            #expect(try journal.recordStates(for: [keys[0]])[keys[0]]?.changeTag == "t")
            #expect(try journal.metadata(for: "sync.token") == Data([1]))
            #expect(try journal.lastTransactionNumber() >= (before.last?.sequence ?? 0))
        }
        try copy.close()
        #expect(try DatabaseFile(url: target).integrity() == ["ok"])
    }

    @Test("a store that is in use, or another program's file, is not removed")
    func destruction() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "a.sqlite")
            let container = try PersistentContainer(model: .journal, store: .init(type: .sqlite, url: file))
            try await container.perform { (context) throws in
                _ = Entry(context: context)
                try context.save()
            }
            let error = #expect(throws: BackstitchError.self) {
                try PersistentStoreCoordinator.destroyPersistentStore(at: file, type: .sqlite)
            }
            #expect(error?.code == .storeFailure)
            #expect(try await container.perform { try $0.count(for: FetchRequest<Entry>()) } == 1)
            try container.close()
            try PersistentStoreCoordinator.destroyPersistentStore(at: file, type: .sqlite)
            try DatabaseFile(url: file).execute("CREATE TABLE t (a)")
            let foreign = #expect(throws: BackstitchError.self) {
                try PersistentStoreCoordinator.destroyPersistentStore(at: file, type: .sqlite)
            }
            #expect(foreign?.code == .notADatabase)
            #expect(FileManager.default.fileExists(atPath: file.path))
        }
    }

    @Test("opened read-only, not a byte of the file changes")
    func readOnly() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "a.sqlite")
            let container = try PersistentContainer(model: .journal, store: .init(type: .sqlite, url: file))
            try await container.perform { (context) throws in
                for _ in 0..<100 { _ = Entry(context: context) }
                try context.save()
            }
            try container.close()
            let before = try Data(contentsOf: file)
            var description = PersistentStoreDescription(type: .sqlite, url: file)
            description.isReadOnly = true
            let reading = try PersistentContainer(model: .journal, store: description)
            #expect(try await reading.perform { try $0.count(for: FetchRequest<Entry>()) } == 100)
            try reading.close()
            #expect(try Data(contentsOf: file) == before)
        }
    }
}
