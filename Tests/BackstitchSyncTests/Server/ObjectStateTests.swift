import Backstitch
import BackstitchServer
import BackstitchSupport
import BackstitchSync
import Foundation
import TestSupport
import Testing

@Suite("the state of each object", .timeLimit(.minutes(3)))
struct ObjectStateTests {
    @Test("an object waits, is on its way, is synced, is changed, is deleted, and is gone")
    func life() async throws {
        try await SyncWorld.run { world in
            let a = try world.device()
            let id = try await a.addNote("note")
            #expect(try await a.phase(of: id) == .pending(.insert))
            #expect(try await a.sync.objects.pending() == [id])

            let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
            let (permits, permit) = AsyncStream.makeStream(of: Void.self)
            await world.faults.set { request in
                guard request.endpoint == "records/modify" else { return nil }
                arrived.yield()
                for await _ in permits { break }
                return nil
            }
            async let summary = a.sync.sync()
            for await _ in arrivals { break }
            #expect(try await a.phase(of: id) == .uploading(.insert))
            permit.finish()
            #expect(try await summary.sent == 1)
            #expect(try await a.phase(of: id) == .synced)
            await world.faults.clear()

            try await a.change(id) { note, _ in note.title = "edited" }
            #expect(try await a.phase(of: id) == .pending(.update))
            try await a.sync.sync()
            try await a.delete(id)
            #expect(try await a.phase(of: id) == .pending(.delete))
            try await a.sync.sync()
            #expect(try await a.phase(of: id) == .absent)
            #expect(try await a.sync.objects.pending() == [])
        }
    }

    @Test("a change that cannot travel is blocked, with its cause, and waits no more")
    func blocked() async throws {
        try await SyncWorld.run { world in
            let a = try world.device()
            let id = try await a.addNote("note") { note, _ in try note.setValue(.double(.nan), forKey: "ratio") }
            try await a.sync.sync()
            guard case .blocked(.insert, let reason) = try await a.phase(of: id) else {
                throw TestFailure("\(try await a.phase(of: id))")
            }
            #expect(reason.contains("ratio"))
            #expect(try await a.sync.objects.pending() == [])
        }
    }

    @Test("an object that a rule keeps here is local, before and after a sync, until the rule lets it go")
    func local() async throws {
        let model = ManagedObjectModel([
            EntityDescription("Draft", [.attribute("title", .string), .attribute("isDone", .boolean, default: false)])
                .synced(where: "isDone == true")
        ])
        try await SyncWorld.run { world in
            let a = try world.device(model: model)
            let id = try await a.add(["title": "draft"], "Draft")
            #expect(try await a.phase(of: id) == .local)
            try await a.sync.sync()
            #expect(try await a.phase(of: id) == .local)
            try await a.set(id, ["isDone": true])
            guard case .pending = try await a.phase(of: id) else {
                throw TestFailure("\(try await a.phase(of: id))")
            }
            try await a.sync.sync()
            #expect(try await a.phase(of: id) == .synced)
        }
    }

    @Test("bytes that are on the server only are named; an entity that there is not is refused")
    func assets() async throws {
        try await SyncWorld.run { world in
            let a = try world.device()
            let b = try world.device(automatic: false, [.excludedUnchangingAsyncAssetKeys: ["photo"]])
            let id = try await a.addNote("note") { note, _ in note.photo = Data(count: 100_000) }
            #expect(try await a.sync.objects.states(of: [id])[id]?.remoteAssets == [])
            try await a.sync.sync()
            try await b.sync.sync()
            #expect(try await b.sync.objects.states(of: [id])[id] == SyncObjectState(.synced, remoteAssets: ["photo"]))
            _ = try await b.sync.assets.download("photo", of: id)
            #expect(try await b.sync.objects.states(of: [id])[id] == SyncObjectState(.synced))
            let error = await #expect(throws: BackstitchError.self) {
                try await a.sync.objects.states(of: [ObjectID(entityName: "Nothing", key: id.key)])
            }
            #expect(error?.code == .invalidRequest)
        }
    }

    @Test("a watcher is told of the states at once and of each later one, and ends with the store")
    func updates() async throws {
        try await SyncWorld.run { world in
            let a = try world.device()
            let id = try await a.addNote("note")
            let seen = Locked<[SyncObjectState.Phase]>([])
            let watcher = Task { [updates = a.sync.objects.stateUpdates(of: [id])] in
                for try await states in updates {
                    if let phase = states[id]?.phase { seen.withLock { $0.append(phase) } }
                }
            }
            func last(_ phase: SyncObjectState.Phase) async throws -> Bool {
                try await eventually { seen.withLock { $0.last } == phase }
            }
            #expect(try await last(.pending(.insert)))
            try await a.sync.sync()
            #expect(try await last(.synced))
            try await a.change(id) { note, _ in note.title = "edited" }
            #expect(try await last(.pending(.update)))
            try await a.sync.sync()
            #expect(try await last(.synced))
            // Nothing is told twice in a row.
            let all = seen.withLock { $0 }
            #expect(zip(all, all.dropFirst()).allSatisfy { $0 != $1 })
            // An upload under way no longer counts as waiting.
            let steps = zip(all, all.dropFirst())
            #expect(!steps.contains { $0 == .uploading(.insert) && $1 == .pending(.insert) })
            try a.close()
            try await watcher.value
        }
    }

    @Test("a watcher of a store that another one syncs is told when the server has taken a change", .onFiles)
    func standby() async throws {
        try await SyncWorld.run { world in
            let leader = try world.device("shared"), standby = try world.device("shared")
            try await leader.sync.sync()
            #expect(try await standby.sync.status.state == .standby)
            let id = try await standby.addNote("note")
            let watcher = Task { [updates = standby.sync.objects.stateUpdates(of: [id])] in
                for try await states in updates where states[id]?.phase == .synced { return true }
                return false
            }
            try await leader.sync.sync()
            #expect(try await watcher.value)
        }
    }

    @Test("a watcher that is cancelled holds nothing, and one of a closed store ends at once")
    func endedWatcher() async throws {
        try await SyncWorld.run { world in
            let a = try world.device()
            let id = try await a.addNote("note")
            let watcher = Task { [updates = a.sync.objects.stateUpdates(of: [id])] in for try await _ in updates {} }
            watcher.cancel()
            try await watcher.value
            let sync = a.sync
            try a.close()
            for try await states in sync.objects.stateUpdates(of: [id]) { Issue.record("\(states)") }
        }
    }

    @Test("the states of ten thousand objects come in a few queries")
    func many() async throws {
        try await SyncWorld.run { world in
            let a = try world.device("many")
            let ids = try await a.addNotes(10_000)
            let clock = ContinuousClock(), start = clock.now
            let states = try await a.sync.objects.states(of: ids)
            print("counted: states of 10000 objects in \(clock.now - start)")
            #expect(states.count == 10_000 && states.values.allSatisfy { $0 == SyncObjectState(.pending(.insert)) })
        }
    }

    @Test("ten thousand photos are listed with their states in a few queries")
    func photos() async throws {
        try await SyncWorld.run { world in
            let device = try world.device("many", [.syncOnSave: false])
            let ids = try await device.container.perform { context in
                let notes = (0..<10_000).map { number in
                    let note = TestNote(context: context)
                    note.photo = Data("photo \(number % 50)".utf8)
                    return note
                }
                try context.save()
                return notes.map(\.objectID)
            }
            let storage = device.container.coordinator.store.assets, clock = ContinuousClock()
            for remote: [String] in [[], ["photo"]] {
                if !remote.isEmpty {
                    for number in 0..<50 { try storage.remove(storage.reference(to: Data("photo \(number)".utf8))) }
                }
                let start = clock.now
                let states = try await device.sync.objects.states(of: ids)
                print("counted: states of 10000 photos in \(clock.now - start), elsewhere: \(remote)")
                let expected = SyncObjectState(.pending(.insert), remoteAssets: remote)
                #expect(states.count == 10_000 && states.values.allSatisfy { $0 == expected })
            }
        }
    }
}

extension SyncDevice {
    fileprivate func phase(of id: ObjectID) async throws -> SyncObjectState.Phase? {
        try await sync.objects.states(of: [id])[id]?.phase
    }
}
