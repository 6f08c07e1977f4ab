import Backstitch
import BackstitchServer
import BackstitchSupport
import BackstitchSync
import CloudWire
import Foundation
import TestSupport
import Testing

@Suite("sync with a real server")
struct EndToEndTests {
    @Test("opening a store syncs it")
    func storeAdded() async throws {
        try await SyncWorld.run { world in
            let device = try world.device(automatic: true)
            var reasons: [SyncReason] = []
            for await event in device.sync.events {
                if case .started(let reason) = event { reasons.append(reason) }
                if case .finished(let summary) = event {
                    #expect(summary.changes.isEmpty)
                    break
                }
            }
            #expect(reasons == [.storeAdded])
            #expect(try await device.sync.status.isFirstSyncComplete)
        }
    }

    @Test("a saved object is on the server, under its own name")
    func push() async throws {
        try await SyncWorld.run { world in
            let device = try world.device()
            let id = try await device.addNote("Hello")
            let summary = try await device.sync.sync()
            #expect(summary.sent == 1)
            let record = try #require(try await WireView(world).record(id))
            #expect(record.recordType == "Note")
            #expect(record.value("title") == .string("Hello"))
            #expect(try await device.sync.status.pendingCount == 0)
        }
    }

    @Test("a fresh store gets what others pushed, and tells which objects came")
    func pull() async throws {
        try await SyncWorld.run { world in
            let a = try world.device(), b = try world.device()
            let id = try await a.addNote("Hello")
            try await a.sync.sync()
            let summary = try await b.sync.sync()
            #expect(summary.inserted == [id])
            #expect(try await b.titles() == ["Hello"])
            try await a.change(id) { note, _ in note.title = "Goodbye" }
            try await a.sync.sync()
            #expect(try await b.sync.sync().updated == [id])
            #expect(try await b.titles() == ["Goodbye"])
            try await a.delete(id)
            try await a.sync.sync()
            #expect(try await b.sync.sync().deleted == [id])
            #expect(try await b.titles() == [])
        }
    }

    @Test("a thousand objects go up and down, whole")
    func large() async throws {
        try await SyncWorld.run { world in
            let a = try world.device(), b = try world.device()
            let ids = try await a.addNotes(1_000)
            #expect(try await a.sync.sync().sent == 1_000)
            let summary = try await b.sync.sync()
            #expect(summary.inserted == ids.sorted())
            #expect(try await a.dump() == b.dump())
        }
    }

    @Test("everything can be read again: unsent edits and deletions stay, and the cycle tells its end")
    func fromScratch() async throws {
        try await SyncWorld.run { world in
            let a = try world.device(), b = try world.device()
            let ids = try await a.edit { context in (0..<3).map { _ in TestNote(context: context).objectID } }
            try await a.sync.sync()
            #expect(try await b.sync.sync().received == 3)
            #expect(try await b.sync.sync().received == 0)
            try await b.change(ids[0]) { note, _ in note.title = "unsent" }
            try await b.delete(ids[1])
            await world.faults.clear()
            let summary = try await b.sync.syncFromScratch()
            #expect(summary.received >= 3 && summary.sent == 2 && summary.deleted.isEmpty)
            #expect(try await b.titles() == ["", "unsent"])
            try await a.sync.sync()
            #expect(try await a.titles() == ["", "unsent"])
            // From here on only new changes: the edit and the deletion that were just sent.
            #expect(try await b.sync.sync().received <= 2)
        }
    }

    @Test(
        "an excluded asset is nil until it is asked for, others come by themselves; an edit elsewhere takes none away (T11)"
    )
    func assets() async throws {
        try await SyncWorld.run { world in
            let a = try world.device()
            let b = try world.device(nil, [.excludedUnchangingAsyncAssetKeys: ["photo"]])
            let photo = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0) }), cover = Data("cover".utf8)
            let id = try await a.addNote("Hello") { note, _ in
                note.photo = photo
                note.cover = cover
            }
            try await a.sync.sync()
            let summary = try await b.sync.sync()
            #expect(summary.missingAssets == 0)
            let before = try await b.read { context in
                let note = try context.existingObject(with: id) as? TestNote
                return (note?.photo, note?.cover)
            }
            #expect(before == (nil, cover))
            #expect(try await b.sync.assets.state("photo", of: id) == .remote(size: 100_000))
            #expect(try await b.sync.assets.state("cover", of: id) == .local(size: 5))
            #expect(try await b.sync.assets.download("photo", of: id).data() == photo)
            #expect(try await b.sync.assets.state("photo", of: id) == .local(size: 100_000))
            #expect(try await b.read { try ($0.existingObject(with: id) as? TestNote)?.photo } == photo)
            // Another edit of the record does not take it away again.
            try await a.change(id) { note, _ in note.title = "Edited" }
            try await a.sync.sync()
            try await b.sync.sync()
            #expect(try await b.read { try ($0.existingObject(with: id) as? TestNote)?.photo } == photo)
            // Clearing it does.
            try await a.change(id) { note, _ in note.photo = nil }
            try await a.sync.sync()
            try await b.sync.sync()
            #expect(try await b.sync.assets.state("photo", of: id) == .absent)
        }
    }

    @Test("a save on one device shows on another by itself, both ways")
    func automatic() async throws {
        try await SyncWorld.run { world in
            let a = try world.device(automatic: true), b = try world.device(automatic: true)
            _ = try await a.addNote("from a")
            #expect(try await eventually { try await b.titles() == ["from a"] })
            _ = try await b.addNote("from b")
            #expect(try await eventually { try await a.titles() == ["from a", "from b"] })
        }
    }

    @Test("notifications tell what sync did, with the store as their object")
    func notifications() async throws {
        try await SyncWorld.run { world in
            let a = try world.device(), b = try world.device()
            let id = try await a.addNote("Hello")
            try await a.sync.sync()
            let seen = Locked<[String]>([])
            let inserted = Locked<[ObjectID]>([])
            let names: [Notification.Name] = [.didStartSync, .didFinishSync, .didFailSync]
            let tokens = names.map { name in
                NotificationCenter.default.addObserver(forName: name, object: b.container.coordinator.store, queue: nil)
                { note in
                    seen.withLock { $0.append(note.name.rawValue) }
                    if let ids = note.userInfo?[SyncNotificationKey.inserted] as? [ObjectID] {
                        inserted.withLock { $0 += ids }
                    }
                    if let error = note.userInfo?[SyncNotificationKey.error] as? BackstitchError {
                        seen.withLock { $0.append("\(error.code)") }
                    }
                }
            }
            try await b.sync.sync()
            await world.faults.set { _ in .dropConnection }
            await #expect(throws: BackstitchError.self) { try await b.sync.sync() }
            await world.faults.clear()
            let expected = [
                "BackstitchDidStartSync", "BackstitchDidFinishSync", "BackstitchDidStartSync", "BackstitchDidFailSync",
                "network",
            ]
            #expect(try await eventually { seen.withLock { $0 } == expected })
            #expect(inserted.withLock { $0 } == [id])
            for token in tokens { NotificationCenter.default.removeObserver(token) }
        }
    }

    @Test("live contexts show what a sync brought before anybody is told that it has ended")
    @MainActor
    func liveContext() async throws {
        try await SyncWorld.run { world in
            let a = try world.device(), b = try world.device()
            let id = try await a.addNote("Hello")
            try await a.sync.sync()
            try await b.sync.sync()
            let view = b.container.viewContext
            let note = try #require(try view.fetch(FetchRequest<TestNote>()).first)
            #expect(note.title == "Hello")
            try await a.change(id) { note, _ in note.title = "Goodbye" }
            try await a.sync.sync()
            try await b.sync.sync()
            #expect(try await eventually { note.title == "Goodbye" })
        }
    }
}
