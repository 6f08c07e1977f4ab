import Backstitch
import BackstitchServer
import BackstitchSimulator
import BackstitchSupport
import BackstitchSync
import CloudWire
import Foundation
import TestSupport
import Testing

@Suite("zones that are lost while devices work on them", .scenario)
struct ZoneLossTests: ScenarioSuite {
    @Test(
        "what was deleted and not sent when the zone was lost stays deleted, whoever makes the zone anew",
        arguments: [true, false])
    func unsentDeletion(_ isMadeAnewByOther: Bool) async throws {
        let (a, b) = try s.pair(), view = try s.zone()
        let id = try await a.add(["title": "deleted"], number: 1)
        try await a.add(["title": "kept"], number: 2)
        try await s.sync(a, b)
        try await a.delete(id)
        try await view.deleteZone()
        for device in isMadeAnewByOther ? [b, a, b] : [a, b, a, b] { try await device.sync.sync() }
        try await s.expect("Note 2 title 'kept'")
        try await s.expectNothingUnsent()
    }

    @Test("a zone that is made anew while everything is read again deletes nothing here")
    func madeAnewDuringFullFetch() async throws {
        let (a, other) = try s.pair(), view = try s.zone(), faults = try s.faults
        try await other.add(["title": "theirs"], number: 1)
        try await a.add(["title": "only here and in the old zone"], number: 2)
        try await a.sync.sync()
        try await s.server.invalidateSyncTokens()
        let isChecked = Locked(false)
        await faults.set { request in
            // The device has seen that it is still the same zone, and continues to read it.
            if request.endpoint == "zones/lookup" { isChecked.withLock { $0 = true } }
            guard request.endpoint == "changes/zone", isChecked.withLock({ $0 }) else { return nil }
            isChecked.withLock { $0 = false }
            await faults.set(nil)
            do {
                try await view.deleteZone()
                try await other.sync.sync()
            } catch { Issue.record(error) }
            return nil
        }
        try await s.sync(a, other)
        try await s.expect("Note 1 title 'theirs'", "Note 2 title 'only here and in the old zone'")
    }

    @Test(
        "a push never falls on another zone than the one that was read: its deletions come true, and its edits stay",
        arguments: [true, false])
    func pushMeetsOtherZone(isDeletion: Bool) async throws {
        let a = try s.device(), b = try s.device(), other = try s.device(), view = try s.zone()
        let id = try await a.add(["title": "note"], number: 1)
        try await a.add(["title": "kept"], number: 2)
        try await s.sync(a, b)
        try await other.add(["title": "theirs"], number: 3)
        if isDeletion { try await b.delete(id) } else { try await b.set(id, ["body": "unsent"]) }
        try await s.atNextPush {
            try await view.deleteZone()
            try await other.sync.sync()
        }
        try await s.sync(b, a, b, a, other, b)
        let others = ["Note 2 title 'kept'", "Note 3 title 'theirs'"]
        try await s.expect(lines: isDeletion ? others : ["Note 1 body 'unsent' title 'note'"] + others)
    }

    @Test("what a save sends to a zone that is lost under it goes to the next, and to the one after that")
    func lostUnderSaves() async throws {
        try await SyncWorld.run { world in
            let a = try world.device(automatic: true), other = try world.device(), view = try WireView(world)
            _ = try await a.addNote("first")
            // Once it listens, a save is sent without reading first.
            #expect(try await eventually { try await a.sync.status.pendingCount == 0 })
            #expect(try await eventually { await world.faults.requests.contains("aps") })
            await world.faults.atNextPush { try await view.deleteZone() }
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
        let a = try s.device("phone", policy: .clientWins), b = try s.device()
        let id = try await a.add(["title": "note", "body": "old"], number: 1)
        try await s.sync(a, b)
        try await a.set(id, ["body": "new"])
        try await a.sync.sync()
        try await a.add(["title": "another"], number: 2)
        try await s.sync(a, .lostAnswer)
        try a.close()
        try await s.zone().deleteZone()
        try await b.sync.sync()
        try await s.sync(s.device("phone", policy: .clientWins), b)
        try await s.expect("Note 1 body 'new' title 'note'", "Note 2 title 'another'")
    }

    @Test(
        "whose push to the next zone is lost asks the policy about what another device fills that zone with meanwhile")
    func lostPush() async throws {
        let a = try s.device(policy: .clientWins), b = try s.device()
        let id = try await a.add(["title": "note", "body": "old"], number: 1)
        try await s.sync(a, b)
        try await a.set(id, ["body": "new"])
        try await a.sync.sync()
        try await s.zone().deleteZone()
        try await s.sync(a, .cut)
        try await s.sync(b, a, b)
        try await s.expect("Note 1 body 'new' title 'note'")
    }
}
