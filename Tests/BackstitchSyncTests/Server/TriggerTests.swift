import Backstitch
import BackstitchServer
import BackstitchSupport
import BackstitchSync
import CloudWire
import Foundation
import TestSupport
import Testing

@Suite("what begins a cycle")
struct TriggerTests: ScenarioSuite {
    @Test("triggers of every kind while a cycle runs are merged into the next one, and none is lost")
    func merged() async throws {
        try await SyncWorld.run { world in
            let other = try world.device()
            let device = try world.device(automatic: true, [.syncRequestTimeout: 60])
            #expect(try await eventually { try await device.sync.status.isFirstSyncComplete })
            // Once it listens to the server, it begins no cycle for that any more.
            #expect(try await eventually { await world.faults.requests.contains("aps") })
            // A cycle that waits for the server until all triggers have come.
            let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
            let (permits, permit) = AsyncStream.makeStream(of: Void.self)
            await world.faults.set { request in
                guard request.endpoint == "records/modify" else { return nil }
                arrived.yield()
                for await _ in permits { break }
                return nil
            }
            _ = try await device.addNote("one")
            for await _ in arrivals { break }
            // The first listener hears of everything before it. The next one hears of everything after this cycle's
            // start.
            _ = device.sync.events
            let events = device.sync.events
            let started = Locked<[SyncReason]>([]), ended = Locked(0)
            let watcher = Task {
                for await event in events {
                    if case .started(let reason) = event { started.withLock { $0.append(reason) } }
                    if case .finished = event { ended.withLock { $0 += 1 } }
                }
            }
            for reason in [SyncReason.networkState, .push, .storeAdded, .localSave, .push] {
                device.sync.trigger(reason)
            }
            _ = try await device.addNote("two")
            #expect(device.sync.handlePush(try push(about: "Backstitch")))
            #expect(!device.sync.handlePush(try push(about: "Elsewhere")))
            #expect(!device.sync.handlePush(Data("no notification".utf8)))
            permit.finish()
            #expect(
                try await eventually {
                    let pending = try await device.sync.status.pendingCount
                    let count = ended.withLock { $0 }
                    return pending == 0 && count > 1 && count == started.withLock { $0.count } + 1
                })
            watcher.cancel()
            // All that came meanwhile was one cycle, named after the most important.
            #expect(started.withLock { $0 } == [.push])
            try await other.sync.sync()
            #expect(try await other.titles() == ["one", "two"])
        }
    }

    @Test("an edit, and a deletion, of an object whose push waits for its answer are sent at once after it")
    func savedAgain() async throws {
        try await SyncWorld.run { world in
            let device = try world.device(automatic: true, [.syncPollInterval: 3_600.0, .syncRequestTimeout: 60])
            #expect(try await eventually { try await device.sync.status.isFirstSyncComplete })
            let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
            let (permits, permit) = AsyncStream.makeStream(of: Void.self)
            await world.faults.set { request in
                guard request.endpoint == "records/modify" else { return nil }
                arrived.yield()
                for await _ in permits { break }
                return nil
            }
            let edited = try await device.addNote("edited"), deleted = try await device.addNote("deleted")
            for await _ in arrivals { break }
            try await device.change(edited) { note, _ in note.title = "edited again" }
            try await device.delete(deleted)
            permit.finish()
            #expect(try await eventually { try await device.sync.status.pendingCount == 0 })
            let other = try world.device()
            try await other.sync.sync()
            #expect(try await other.titles() == ["edited again"])
        }
    }

    private func push(about zone: String) throws -> Data {
        let notification = PushNotification(
            container: "iCloud.backstitch", notificationID: "1", userRecordName: nil, subscriptionID: nil,
            subject: .zone(ZoneID(zoneName: zone)))
        return Data(try notification.wireJSON())
    }

    @Test(
        "a token that is damaged or of another server is no end: everything is read again, and nothing is lost",
        .scenario)
    func damagedToken() async throws {
        let (a, b) = try s.pair()
        let gone = try await a.addNote("gone")
        _ = try await a.addNote("kept")
        try await s.settle(a, b)
        try await b.delete(gone)
        try await b.sync.sync()
        _ = try await a.addNote("unsent")
        for token in ["no token at all", "AAAA", ""] {
            try a.store.setToken(token)
            try await a.sync.sync()
            #expect(try await a.titles() == ["kept", "unsent"])
        }
        try await s.settle(a, b)
    }

    @Test("records and objects are found by each other", .scenario)
    func names() async throws {
        let view = try s.zone()
        try await view.makeZone()
        try await view.create("from elsewhere", "Note", ["title": .string("foreign")])
        let device = try s.device()
        let own = try await device.addNote("own")
        #expect(try await device.sync.objects.recordName(of: own) == nil)
        try await device.sync.sync()
        #expect(try await device.sync.objects.recordName(of: own) == own.key.uuidString)
        let found = try await device.sync.objects.ids(
            forRecordsNamed: ["from elsewhere", own.key.uuidString, "nobody's"])
        #expect(found[own.key.uuidString] == own && found.count == 2)
        let foreign = try #require(found["from elsewhere"])
        #expect(try await device.sync.objects.recordName(of: foreign) == "from elsewhere")
    }
}
