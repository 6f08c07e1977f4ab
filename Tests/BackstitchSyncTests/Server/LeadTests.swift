import Backstitch
import BackstitchPostgreSQL
import BackstitchServer
import BackstitchSupport
import BackstitchSync
import BackstitchTestKit
import Foundation
import TestSupport
import Testing

@Suite("who of several that have a store open syncs it")
struct LeadTests: ScenarioSuite {
    /// Runs `body` in a world whose devices keep their objects so.
    private func world(_ backing: SyncBacking, _ body: (SyncWorld) async throws -> Void) async throws {
        try await SyncBacking.$current.withValue(backing) { try await SyncWorld.run(body) }
    }

    @Test(
        "who opens a store with another zone while others have it open is refused, and told of both",
        arguments: [SyncBacking.sqlite, .postgreSQL])
    func anotherZone(_ backing: SyncBacking) async throws {
        try await world(backing) { world in
            let leader = try world.device("shared", automatic: true)
            let standby = try world.device("shared", automatic: true)
            let id = try await leader.addNote("kept")
            for options in [[StoreOption.syncZoneName: "Other"], [.syncServerURL: "http://127.0.0.1:9"]] {
                let error = #expect(throws: BackstitchError.self) {
                    try world.device("shared", automatic: true, options)
                }
                let message = error?.message ?? ""
                #expect(message.contains(" Backstitch") && message.contains(world.url.absoluteString))
                #expect(message.contains("Other") || message.contains("http://127.0.0.1:9 "))
            }
            // Nothing was begun anew, also not for who stands by.
            #expect(try await eventually { try await leader.sync.status.pendingCount == 0 })
            try leader.close()
            #expect(throws: BackstitchError.self) { try world.device("shared", [.syncZoneName: "Other"]) }
            #expect(try await eventually { try await standby.sync.status.state == .idle })
            #expect(try await WireView(world).record(id) != nil)
            try standby.close()
            let later = try world.device("shared", [.syncZoneName: "Other"])
            #expect(try await later.sync.sync().sent == 1)
        }
    }

    @Test("a lead is lost with the connection that holds it; somebody leads again, and everything is sent")
    func brokenConnection() async throws {
        try await world(.postgreSQL) { world in
            // A server cuts names after 63 bytes.
            let name = "lead-\(ObjectIDGenerator().next().uuidString)"
            let devices = try (0..<2).map { _ in
                try world.device("shared", automatic: true, [.postgresApplicationName: name])
            }
            let server = try PostgresServer.shared.get()
            let held = """
                FROM pg_stat_activity JOIN pg_locks USING (pid)
                WHERE application_name = '\(name)' AND locktype = 'advisory' AND mode = 'ExclusiveLock'
                """
            for number in 0..<5 {
                for device in devices { _ = try await device.addNote("note \(number)") }
                // The pool's connections are asleep, and are made anew by who needs them.
                let ended = try await onThread { try server.sql("SELECT pid, pg_terminate_backend(pid) \(held)") }
                let connection = ended.prefix { $0.isNumber }
                #expect(!connection.isEmpty, "\(ended)")
                #expect(
                    try await eventually {
                        // It is held by another connection, and who has lost it knows that.
                        let now = try await onThread { try server.sql("SELECT pid \(held)") }.prefix { $0.isNumber }
                        var states: [SyncStatus.State] = []
                        for device in devices { states.append(try await device.sync.status.state) }
                        return !now.isEmpty && now != connection && states.count { $0 == .standby } == 1
                    })
            }
            #expect(try await eventually { try await devices[0].sync.status.pendingCount == 0 })
            let fresh = try world.device()
            try await fresh.sync.sync()
            #expect(try await fresh.titles().count == 10)
            #expect(try await fresh.dump() == devices[0].dump())
            #expect(try await fresh.dump() == devices[1].dump())
        }
    }

    @Test("behind a pooler of transactions, where no session is one's own, a note in the journal says who leads")
    func pooled() async throws {
        try await world(.postgreSQL) { world in
            let options: [StoreOption: any Sendable] = [.postgresTransactionPooling: true, .postgresPollInterval: 0.2]
            let first = try world.device("shared", automatic: true, options)
            let second = try world.device("shared", automatic: true, options)
            #expect(try await first.sync.status.state != .standby)
            #expect(try await second.sync.status.state == .standby)
            let id = try await second.addNote("by the second")
            #expect(try await eventually { try await WireView(world).recordIfAny(id) != nil })
            try first.close()
            #expect(try await eventually { try await second.sync.status.state == .idle })
        }
    }

    @Test(
        "records that are looked up while sync moves the store are looked up again: what came meanwhile may be newer",
        .scenario)
    func lookup() async throws {
        let device = try s.device(), other = try s.device()
        let id = try await device.addNote("first")
        try await s.sync(device, other)
        try await device.change(id) { note, _ in note.title = "blocked" }
        try device.store.block(id, "for the test")
        let lookups = Locked(0)
        try await s.faults.set { request in
            guard request.endpoint == "records/lookup" else { return nil }
            let isFirst = lookups.withLock { count in
                count += 1
                return count == 1
            }
            guard isFirst else { return nil }
            do {
                try await other.change(id) { note, _ in note.title = "newer" }
                try await s.sync(other, device)
            } catch { Issue.record(error) }
            return nil
        }
        try await device.sync.discardBlocked([id])
        #expect(lookups.withLock { $0 } == 2)
        #expect(try await device.titles() == ["newer"])
    }
}
