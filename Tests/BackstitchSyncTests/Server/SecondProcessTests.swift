import Backstitch
import BackstitchSupport
import BackstitchSync
import Foundation
import TestSupport
import Testing

@Suite("several processes on the same files", .onFiles)
struct SecondProcessTests {
    @Test("one syncs, the other sees and is sent for; killed, the other takes its place")
    func handOver() async throws {
        try await SyncWorld.run { world in
            let folder = world.folder(of: "shared")
            let probe = try TestProcess(world, folder: folder)
            #expect(try await probe.nextLine()?.hasPrefix("ready") == true)
            #expect(try await probe.ask("add from the probe").hasPrefix("added"))
            let elsewhere = try world.device()
            #expect(try await eventually { try await elsewhere.synced().titles() == ["from the probe"] })

            let here = try world.device("shared", automatic: true)
            #expect(try await here.sync.status.state == .standby)
            let error = await #expect(throws: BackstitchError.self) { try await here.sync.sync() }
            #expect(error?.code == .syncPaused)
            #expect(try await here.titles() == ["from the probe"])
            // The probe sends changes saved here. Changes fetched by the probe appear here, also in live contexts.
            _ = try await here.addNote("from here")
            #expect(try await eventually { try await elsewhere.synced().titles() == ["from here", "from the probe"] })
            let seen = Locked<[ObjectID]>([])
            // It listens before anything changes, at any start of the task.
            let watcher = Task { [all = here.container.coordinator.remoteChanges] in
                for await changes in all { seen.withLock { $0 += changes.inserted } }
            }
            let id = try await elsewhere.addNote("from elsewhere")
            try await elsewhere.sync.sync()
            #expect(
                try await eventually {
                    try await here.titles() == ["from elsewhere", "from here", "from the probe"]
                        && seen.withLock { $0.contains(id) }
                })
            watcher.cancel()

            probe.kill()
            #expect(try await eventually { try await here.sync.status.state != .standby })
            _ = try await here.addNote("after the kill")
            #expect(try await eventually { try await elsewhere.synced().titles().contains("after the kill") })
            #expect(try await eventually { try await here.sync.status.pendingCount == 0 })
            #expect(try await here.dump() == elsewhere.dump())

            // And back: a third process waits for this one.
            let second = try TestProcess(world, folder: folder)
            #expect(try await second.nextLine() == "ready standby")
            try here.close()
            #expect(try await eventually { try await second.ask("status").hasPrefix("status idle") })
            second.kill()
        }
    }

    @Test("several containers of one process share files likewise")
    func sameProcess() async throws {
        try await SyncWorld.run { world in
            let first = try world.device("shared", automatic: true)
            let second = try world.device("shared", automatic: true)
            #expect(try await second.sync.status.state == .standby)
            let id = try await second.addNote("by the second")
            #expect(try await eventually { try await WireView(world).recordIfAny(id) != nil })
            try first.close()
            #expect(try await eventually { try await second.sync.status.state == .idle })
            let next = try await second.addNote("alone")
            #expect(try await eventually { try await WireView(world).recordIfAny(next) != nil })
            let third = try world.device("shared", automatic: true)
            #expect(try await third.sync.status.state == .standby)
        }
    }
}

extension SyncDevice {
    /// The device, after a sync.
    func synced() async throws -> SyncDevice {
        try await sync.sync()
        return self
    }
}

extension WireView {
    /// A record; nil also when there is no zone yet.
    func recordIfAny(_ id: ObjectID) async throws -> Bool? {
        do { return try await record(id).map { _ in true } } catch { return nil }
    }
}
