import BackstitchSQL
import BackstitchTestKit
import Foundation
import Testing

@testable import Backstitch
@testable import BackstitchSQLite

@Suite("Bytes that nothing names")
struct AssetCollectionTests {
    private static let model = ManagedObjectModel([
        EntityDescription("Note", [.attribute("title", .string), .attribute("photo", .binary, external: true)])
    ])

    private func save(_ photo: String, _ key: ObjectKey, of store: SQLiteStore, _ fixture: StoreFixture) throws {
        let data = Data(photo.utf8)
        let reference = store.assets.reference(to: data)
        let stored = try store.rows(of: fixture.entity("Note"), keys: [key])
        var request = SaveChangesRequest(author: "test")
        request.assets = [reference: .data(data)]
        if stored.count == 0 {
            request.inserts = [try fixture.rows("Note", [(key, ["photo": .asset(reference)])])]
        } else {
            let rows = try fixture.rows("Note", [(key, ["photo": .asset(reference)])], version: stored.versions[0])
            request.updates = [RowUpdate(rows: rows, originals: stored, changed: [PropertySet([1])])]
        }
        _ = try store.save(request)
    }

    @Test("the merge base of an unsent change stays until the change is sent")
    func outbox() throws {
        let fixture = try StoreFixture(Self.model)
        let store = try fixture.open(keepsOutbox: true)
        let key = fixture.generator.next()
        let old = store.assets.reference(to: Data("old".utf8)), new = store.assets.reference(to: Data("new".utf8))
        try save("old", key, of: store, fixture)
        try store.writeJournal(author: "sync") { try $0.removeOutbox([key]) }
        try save("new", key, of: store, fixture)
        #expect(try store.collectAssets() == 0)
        #expect(store.assets.contains(old) && store.assets.contains(new))
        try store.writeJournal(author: "sync") { try $0.removeOutbox([key]) }
        #expect(try store.collectAssets() == 1)
        #expect(!store.assets.contains(old) && store.assets.contains(new))
    }

    @Test("planning a save keeps no bytes")
    func planning() async throws {
        let container = try PersistentContainer(model: .journal, store: .init(type: .sqlite))
        try await container.perform { context in
            let bytes = Data("a photo".utf8)
            Entry(context: context).photo = bytes
            let plan = try SavePlan(context)
            #expect(Array(plan.request.assets.values) == [.data(bytes)])
            let assets = context.coordinator.store.assets
            #expect(!assets.contains(assets.reference(to: bytes)))
            try context.save()
            #expect(assets.contains(assets.reference(to: bytes)))
        }
        try container.close()
    }

    @Test(
        "what another process is about to name, or reads in an old state, stays; two stores on one file stand for the processes"
    )
    func processes() throws {
        let fixture = try StoreFixture(Self.model)
        let mine = try fixture.open(), other = try fixture.open()
        let key = fixture.generator.next()
        try save("first", key, of: mine, fixture)
        let snapshot = try #require(try other.makeSnapshot())
        try save("second", key, of: mine, fixture)
        #expect(try mine.collectAssets() == 0)
        #expect(other.assets.contains(other.assets.reference(to: Data("first".utf8))))
        snapshot.close()
        try other.writeJournal(author: "sync") { (_) throws in #expect(try mine.collectAssets() == 0) }
        #expect(try mine.collectAssets() == 1)
        #expect(try other.collectAssets() == 0)
    }

    @Test("files that are none of its own stay, and a store that is only read frees nothing")
    func strangers() throws {
        let fixture = try StoreFixture(Self.model)
        let store = try fixture.open()
        let key = fixture.generator.next()
        try save("first", key, of: store, fixture)
        try save("second", key, of: store, fixture)
        let stranger = URL(
            fileURLWithPath:
                fixture.file.path + "-assets/\(store.identifier.uuidString.lowercased())/ab/cd/notes.txt")
        try FileManager.default.createDirectory(
            at: stranger.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data("mine".utf8).write(to: stranger)
        let reader = try SQLiteStore(
            StoreConfiguration(
                model: fixture.model, url: fixture.file, options: StoreOptions(), isReadOnly: true))
        #expect(try reader.collectAssets() == 0)
        #expect(try store.collectAssets() == 1)
        #expect(FileManager.default.fileExists(atPath: stranger.path))
    }

    @Test("two savers and a collector on one file: every row finds its bytes", .timeLimit(.minutes(2)))
    func race() async throws {
        let fixture = try StoreFixture(Self.model)
        let stores = [try fixture.open(), try fixture.open(), try fixture.open()]
        let keys = fixture.keys(2)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for saver in 0..<2 {
                group.addTask {
                    try await onThread {
                        for number in 0..<150 {
                            let photo = "photo \(number % 3)"
                            try save(photo, keys[saver], of: stores[saver], fixture)
                            let reference = stores[saver].assets.reference(to: Data(photo.utf8))
                            let data = try stores[saver].assets.read(reference)
                            guard data == Data(photo.utf8) else { throw BackstitchError(.asset, "\(photo) is gone") }
                        }
                    }
                }
            }
            group.addTask { try await onThread { for _ in 0..<300 { _ = try stores[2].collectAssets() } } }
            try await group.waitForAll()
        }
        #expect(try stores[2].collectAssets() <= 2)
    }
}
