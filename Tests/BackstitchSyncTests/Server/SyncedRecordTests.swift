import Backstitch
import BackstitchSQLite
import BackstitchSync
import Foundation
import TestSupport
import Testing

@Suite("the record of an object, and when a store last synced", .scenario)
struct SyncedRecordTests: ScenarioSuite {
    @Test("a record tells its zone, its version, and when and by whom it was made and changed")
    func record() async throws {
        let (a, b) = try s.pair()
        let id = try await a.addNote("note")
        #expect(try await a.sync.objects.record(of: id) == nil)
        try await s.settle(a, b)
        let made = try #require(try await a.sync.objects.record(of: id))
        #expect(made.recordName == id.key.uuidString && made.recordType == "Note" && made.zone.isMain)
        let (created, modified) = try (#require(made.created), #require(made.modified))
        #expect(created.userRecordName != nil)
        #expect(created.date == modified.date && created.userRecordName == modified.userRecordName)
        #expect(created.deviceID != nil && modified.deviceID == nil)
        try await b.change(id) { note, _ in note.title = "edited" }
        try await s.settle(b)
        // The server is asked for it, and returns a version that this device has not read yet.
        let changed = try #require(try await a.sync.objects.record(of: id))
        #expect(changed.created == made.created && changed.changeTag != made.changeTag)
        let dates = try (#require(changed.modified?.date), #require(made.modified?.date))
        #expect(dates.0 >= dates.1)
        try await b.delete(id)
        try await s.settle(b)
        #expect(try await a.sync.objects.record(of: id) == nil)
    }

    @Test("a record of a further zone is found there, with its owner")
    func zones() async throws {
        let a = try s.pair().0
        try await a.sync.zones.create(named: "Club")
        let id = try await a.edit { context in
            let note = try context.make("Note", ["title": "in the club"])
            try context.assign(note, toZone: "Club")
            return note.objectID
        }
        try await a.sync.sync()
        let record = try #require(try await a.sync.objects.record(of: id))
        #expect(record.zone.name == "Club")
        #expect(try await a.sync.objects.recordName(of: id) == record.recordName)
    }

    @Test("the times of the last push and of the last pull are those of the cycles that did it")
    func times() async throws {
        let (a, b) = try s.pair()
        let fresh = try await a.sync.status
        #expect(fresh.lastPush == nil && fresh.lastPull == nil)
        try await a.sync.sync()
        let first = try await a.sync.status
        #expect(first.lastPush == nil && first.lastPull != nil)
        try await a.addNote("note")
        try await a.sync.sync()
        let second = try await a.sync.status
        let pushed = try #require(second.lastPush)
        try await b.sync.sync()
        let reader = try await b.sync.status
        #expect(reader.lastPush == nil && reader.lastPull != nil)
        try await a.sync.sync()
        #expect(try await a.sync.status.lastPush == pushed)
        // A cycle that fails is neither.
        try await s.network(.offline)
        try await a.addNote("later")
        await #expect(throws: BackstitchError.self) { try await a.sync.sync() }
        #expect(try await a.sync.status.lastPush == pushed)
    }
}

@Suite("several synced stores, and saves that wait", .timeLimit(.minutes(3)))
struct SeveralStoresTests {
    @Test("each of two synced stores of a container has its own controller, zone and objects")
    func severalStores() async throws {
        var model = ManagedObjectModel([
            EntityDescription("Note", [.attribute("title", .string)]),
            EntityDescription("Photo", [.attribute("name", .string)]),
        ])
        model.configurations = ["words": ["Note"], "pictures": ["Photo"]]
        let described = model
        try await SyncWorld.run { world in
            func store(_ name: String) -> PersistentStoreDescription {
                var store = PersistentStoreDescription(
                    type: .sync, url: world.folder(of: name),
                    options: [
                        .syncServerURL: world.url.absoluteString, .syncAutomatically: false, .syncZoneName: name,
                    ])
                store.configuration = name
                return store
            }
            let container = try PersistentContainer(model: described, stores: [store("words"), store("pictures")])
            try await container.perform { context in
                try context.insertObject(entityName: "Note").setValue("word", forKey: "title")
                try context.insertObject(entityName: "Photo").setValue("picture", forKey: "name")
                try context.save()
            }
            let syncs = try container.coordinator.stores.map { try container.sync(of: $0) }
            #expect(syncs.count == 2 && syncs[0] !== syncs[1] && container.sync === syncs[0])
            #expect(try await syncs[1].sync().sent == 1)
            #expect(try await syncs[0].status.pendingCount == 1)
            #expect(try await syncs[0].sync().sent == 1)
            #expect(try await syncs[0].zones.all().map(\.zoneName) == ["words"])
            #expect(try await syncs[1].zones.all().map(\.zoneName) == ["pictures"])

            let local = try PersistentContainer(model: described, store: .init(type: .sqlite))
            let strange = #expect(throws: BackstitchError.self) { try container.sync(of: local.coordinator.store) }
            #expect(strange?.message.contains("does not belong to the container") == true)
            let unsynced = #expect(throws: BackstitchError.self) { try local.sync(of: local.coordinator.store) }
            #expect(unsynced?.message.contains("does not sync") == true)
            try local.close()
            try container.close()
        }
    }

    @Test("with syncOnSave off a save waits, while others are heard; it goes with the next cycle")
    func savesThatWait() async throws {
        try await SyncWorld.run { world in
            let a = try world.device(automatic: true, [.syncOnSave: false])
            let b = try world.device()
            #expect(try await eventually { try await a.sync.status.isFirstSyncComplete })
            // Once it listens it reads again, and that cycle would take the save along.
            #expect(try await eventually { await world.faults.requests.contains("aps") })
            #expect(try await eventually { try await a.sync.status.state == .idle })
            await world.faults.clear()
            _ = try await a.addNote("kept")
            // Another device's news come, and take the save along: that is the next cycle.
            #expect(await world.faults.requests.contains("records/modify") == false)
            #expect(try await a.sync.status.pendingCount == 1)
            _ = try await b.addNote("news")
            try await b.sync.sync()
            #expect(try await eventually { try await a.titles() == ["kept", "news"] })
            #expect(try await eventually { try await a.sync.status.pendingCount == 0 })
        }
    }
}
