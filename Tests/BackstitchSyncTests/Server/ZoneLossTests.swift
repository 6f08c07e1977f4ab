import Backstitch
import BackstitchServer
import BackstitchSupport
import BackstitchSync
import CloudWire
import Foundation
import TestSupport
import Testing

@Suite("zones that are lost while devices work on them")
struct ZoneLossTests {
    @Test(
        "what was deleted and not sent when the zone was lost stays deleted, whoever makes the zone anew",
        arguments: [true, false])
    func unsentDeletion(_ isMadeAnewByOther: Bool) async throws {
        try await SyncWorld.run { world in
            let a = try world.device(), b = try world.device(), view = try WireView(world)
            let id = try await a.addNote("deleted")
            _ = try await a.addNote("kept")
            try await a.sync.sync()
            try await b.sync.sync()
            try await a.delete(id)
            try await view.deleteZone()
            for device in isMadeAnewByOther ? [b, a, b] : [a, b, a, b] { try await device.sync.sync() }
            #expect(try await a.titles() == ["kept"])
            #expect(try await b.titles() == ["kept"])
            #expect(try await view.all().count == 1)
            for device in [a, b] { #expect(try await device.sync.status.pendingCount == 0) }
        }
    }

    @Test("a zone that is made anew while everything is read again deletes nothing here")
    func madeAnewDuringFullFetch() async throws {
        try await SyncWorld.run { world in
            let a = try world.device(), other = try world.device(), view = try WireView(world)
            _ = try await other.addNote("theirs")
            _ = try await a.addNote("only here and in the old zone")
            try await a.sync.sync()
            try await world.server.invalidateSyncTokens()
            let isChecked = Locked(false)
            await world.faults.set { request in
                // When the device has seen that it is still the same zone, and goes on to read it.
                if request.endpoint == "zones/lookup" { isChecked.withLock { $0 = true } }
                guard request.endpoint == "changes/zone", isChecked.withLock({ $0 }) else { return nil }
                isChecked.withLock { $0 = false }
                await world.faults.clear()
                do {
                    try await view.deleteZone()
                    try await other.sync.sync()
                } catch { Issue.record(error) }
                return nil
            }
            try await a.sync.sync()
            try await other.sync.sync()
            #expect(try await a.titles() == ["only here and in the old zone", "theirs"])
            #expect(try await other.dump() == a.dump())
        }
    }

    @Test(
        "a push never falls on another zone than the one that was read: its deletions come true, and its edits stay",
        arguments: [true, false])
    func pushMeetsOtherZone(isDeletion: Bool) async throws {
        try await SyncWorld.run { world in
            let a = try world.device(), b = try world.device(), other = try world.device(), view = try WireView(world)
            let id = try await a.addNote("note")
            _ = try await a.addNote("kept")
            try await a.sync.sync()
            try await b.sync.sync()
            _ = try await other.addNote("theirs")
            if isDeletion { try await b.delete(id) } else { try await b.change(id) { note, _ in note.body = "unsent" } }
            await atNextPush(of: world) {
                try await view.deleteZone()
                try await other.sync.sync()
            }
            for device in [b, a, b, a, other, b] { try await device.sync.sync() }
            #expect(try await b.titles() == (isDeletion ? ["kept", "theirs"] : ["kept", "note", "theirs"]))
            if !isDeletion { #expect(try await view.record(id)?.value("body") == .string("unsent")) }
            #expect(try await a.dump() == b.dump())
            #expect(try await other.dump() == b.dump())
        }
    }

    @Test("what a save sends to a zone that is lost under it goes to the next, and to the one after that")
    func lostUnderSaves() async throws {
        try await SyncWorld.run { world in
            let a = try world.device(automatic: true), other = try world.device(), view = try WireView(world)
            _ = try await a.addNote("first")
            // Once it listens, a save is sent without reading first.
            #expect(try await eventually { try await a.sync.status.pendingCount == 0 })
            #expect(try await eventually { await world.faults.requests.contains("aps") })
            await atNextPush(of: world) { try await view.deleteZone() }
            _ = try await a.addNote("second")
            #expect(try await eventually { try await a.sync.status.pendingCount == 0 })
            // The zone that was made anew is read before anything is sent to it.
            let asked = await world.faults.requests
            let read = try #require(asked.firstIndex(of: "changes/zone"))
            #expect(read < asked.firstIndex(of: "records/modify") ?? -1, "\(asked)")
            #expect(try await view.all().count == 2)
            try await view.deleteZone()
            _ = try await other.addNote("theirs")
            for device in [other, a, other] { try await device.sync.sync() }
            #expect(try await a.titles() == ["first", "second", "theirs"])
            #expect(try await other.dump() == a.dump())
        }
    }

    @Test("who died with a push under way asks the policy about what another device has filled the next zone with")
    func diedBeforeLoss() async throws {
        try await SyncWorld.run { world in
            let a = try world.device("phone", policy: .clientWins), b = try world.device()
            let id = try await a.addNote("note") { note, _ in note.body = "old" }
            try await a.sync.sync()
            try await b.sync.sync()
            try await a.change(id) { note, _ in note.body = "new" }
            try await a.sync.sync()
            _ = try await a.addNote("another")
            await world.faults.breakDown(at: "records/modify")
            await #expect(throws: BackstitchError.self) { try await a.sync.sync() }
            try a.close()
            await world.faults.clear()
            try await WireView(world).deleteZone()
            try await b.sync.sync()
            let again = try world.device("phone", policy: .clientWins)
            for device in [again, b] { try await device.sync.sync() }
            #expect(try await WireView(world).record(id)?.value("body") == .string("new"))
            #expect(try await b.titles() == ["another", "note"])
            #expect(try await again.dump() == b.dump())
        }
    }

    @Test(
        "whose push to the next zone is lost asks the policy about what another device fills that zone with meanwhile")
    func lostPush() async throws {
        try await SyncWorld.run { world in
            let a = try world.device(policy: .clientWins), b = try world.device(), view = try WireView(world)
            let id = try await a.addNote("note") { note, _ in note.body = "old" }
            try await a.sync.sync()
            try await b.sync.sync()
            try await a.change(id) { note, _ in note.body = "new" }
            try await a.sync.sync()
            try await view.deleteZone()
            await world.faults.set { $0.endpoint == "records/modify" ? .dropConnection : nil }
            await #expect(throws: BackstitchError.self) { try await a.sync.sync() }
            await world.faults.clear()
            for device in [b, a, b] { try await device.sync.sync() }
            #expect(try await view.record(id)?.value("body") == .string("new"))
            #expect(try await a.dump() == b.dump())
        }
    }

    /// Does something while a push is on its way to the server.
    private func atNextPush(of world: SyncWorld, _ body: @escaping @Sendable () async throws -> Void) async {
        await world.faults.set { request in
            guard request.endpoint == "records/modify" else { return nil }
            await world.faults.clear()
            do { try await body() } catch { Issue.record(error) }
            return nil
        }
    }
}
