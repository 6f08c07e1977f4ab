import Backstitch
import BackstitchServer
import BackstitchSupport
import BackstitchSync
import CloudWire
import Foundation
import TestSupport
import Testing

@Suite("accounts, zones and turning off")
struct ResetTests: ScenarioSuite {
    @Test("another user signs in, with unsent edits here: everything stays and goes to that user too (T16)", .scenario)
    func accountKeep() async throws {
        let device = try s.device("phone", [.syncWebAuthToken: "_ann"])
        let id = try await device.addNote("sent")
        try await device.sync.sync()
        try await device.change(id) { note, _ in note.body = "unsent" }
        _ = try await device.addNote("new")
        device.sync.setCredentials(apiToken: nil, webAuthToken: "_bob")
        try await device.sync.sync()
        #expect(try await device.titles() == ["new", "sent"])
        #expect(try await device.sync.status.pendingCount == 0)
        let bob = try s.device(nil, [.syncWebAuthToken: "_bob"])
        try await bob.sync.sync()
        #expect(try await bob.dump() == device.dump())
        // The first user's data stays as it was.
        let ann = try s.device(nil, [.syncWebAuthToken: "_ann"])
        try await ann.sync.sync()
        #expect(try await ann.titles() == ["sent"])
        #expect(try await ann.dump().contains { $0.contains("unsent") } == false)
    }

    @Test("the same when the store is opened with another user's token (T16)", .scenario)
    func accountAtOpening() async throws {
        let first = try s.device("phone", [.syncWebAuthToken: "_ann"])
        _ = try await first.addNote("sent")
        try await first.sync.sync()
        _ = try await first.addNote("unsent")
        try first.close()
        let bob = try s.device(nil, [.syncWebAuthToken: "_bob"])
        _ = try await bob.addNote("bob's")
        try await bob.sync.sync()
        let second = try s.device("phone", [.syncWebAuthToken: "_bob"])
        try await second.sync.sync()
        #expect(try await second.titles() == ["bob's", "sent", "unsent"])
        try await bob.sync.sync()
        #expect(try await bob.dump() == second.dump())
    }

    @Test("under the policy \"wipe\" the new user's objects take the place of the old one's (T16)", .scenario)
    func accountWipe() async throws {
        let bob = try s.device(nil, [.syncWebAuthToken: "_bob"])
        _ = try await bob.addNote("bob's")
        try await bob.sync.sync()
        let device = try s.device("phone", [.syncWebAuthToken: "_ann", .syncResetPolicy: "wipe"])
        _ = try await device.addNote("ann's")
        try await device.sync.sync()
        _ = try await device.addNote("unsent")
        device.sync.setCredentials(apiToken: nil, webAuthToken: "_bob")
        let summary = try await device.sync.sync()
        #expect(summary.inserted.count == 1)
        #expect(try await device.titles() == ["bob's"])
        try await bob.sync.sync()
        #expect(try await bob.titles() == ["bob's"])
    }

    @Test(
        "a policy that is always the same action does as the action's word", .scenario,
        arguments: SyncResetAction.allCases)
    func always(_ action: SyncResetAction) async throws {
        var outcomes: [[String]] = []
        for (number, option) in [SyncResetPolicy.always(action) as any Sendable, action.rawValue].enumerated() {
            let (ann, bob) = ("_ann\(number)", "_bob\(number)")
            let other = try s.device(nil, [.syncWebAuthToken: bob])
            _ = try await other.addNote("Bob's")
            try await other.sync.sync()
            let device = try s.device(nil, [.syncWebAuthToken: ann, .syncResetPolicy: option])
            _ = try await device.addNote("Ann's")
            try await device.sync.sync()
            device.sync.setCredentials(apiToken: nil, webAuthToken: bob)
            let isStopped = (try? await device.sync.sync()) == nil
            #expect(isStopped == (action == .stop))
            outcomes.append(try await device.titles())
        }
        let expected =
            switch action {
            case .keep: ["Ann's", "Bob's"]
            case .wipe: ["Bob's"]
            case .stop: ["Ann's"]
            }
        #expect(outcomes == [expected, expected])
    }

    @Test("the program is asked, and what it does not want yet stops sync with everything as it was", .scenario)
    func ask() async throws {
        let asked = Locked<[SyncReset]>([])
        let policy = SyncResetPolicy.ask { reset in
            asked.withLock { $0.append(reset) }
            return .stop
        }
        let device = try s.device(nil, [.syncWebAuthToken: "_ann", .syncResetPolicy: policy])
        _ = try await device.addNote("sent")
        try await device.sync.sync()
        _ = try await device.addNote("unsent")
        device.sync.setCredentials(apiToken: nil, webAuthToken: "_bob")
        let error = await #expect(throws: BackstitchError.self) { try await device.sync.sync() }
        #expect(error?.code == .syncPaused)
        #expect(error?.message.contains("_bob") == true)
        #expect(asked.withLock { $0 } == [.accountChanged(from: "_ann", to: "_bob")])
        #expect(try await device.titles() == ["sent", "unsent"])
        #expect(try await device.sync.status.state == .paused)
        #expect(try await device.sync.status.lastError?.message.contains("_bob") == true)
        let again = await #expect(throws: BackstitchError.self) { try await device.sync.sync() }
        #expect(again?.code == .syncPaused)
        device.sync.resume(taking: .keep)
        try await device.sync.sync()
        let bob = try s.device(nil, [.syncWebAuthToken: "_bob"])
        try await bob.sync.sync()
        #expect(try await bob.titles() == ["sent", "unsent"])
    }

    @Test("signed out, what is saved waits for who comes back", .scenario, arguments: ["keep", "wipe"])
    func signedOut(_ policy: String) async throws {
        let device = try s.device(nil, [.syncWebAuthToken: "_ann", .syncResetPolicy: policy])
        _ = try await device.addNote("sent")
        try await device.sync.sync()
        device.sync.setCredentials(apiToken: nil, webAuthToken: nil)
        let error = await #expect(throws: BackstitchError.self) { try await device.sync.sync() }
        #expect(error?.code == .authentication)
        #expect(try await device.sync.status.state == .needsCredentials)
        #expect(try await device.titles() == (policy == "keep" ? ["sent"] : []))
        _ = try await device.addNote("offline")
        device.sync.setCredentials(apiToken: nil, webAuthToken: "_ann")
        try await device.sync.sync()
        #expect(try await device.titles() == ["offline", "sent"])
    }

    enum Loss: String, CaseIterable, Sendable { case deleted, purged, madeAnew }

    @Test(
        "a zone that is deleted, purged or made anew: nothing is lost unless the policy says so",
        arguments: Loss.allCases,
        ["keep", "wipe", "stop", nil])
    func zone(_ loss: Loss, _ policy: String?) async throws {
        try await SyncWorld.run { world in
            let a = try world.device(nil, policy.map { [.syncResetPolicy: $0] } ?? [:])
            let id = try await a.addNote("sent")
            _ = try await a.addNote("also sent")
            try await a.sync.sync()
            try await a.change(id) { note, _ in note.body = "unsent" }
            let view = try WireView(world)
            switch loss {
            case .deleted: try await view.deleteZone()
            case .purged:
                try await world.server.purge(
                    user: "_development", container: "iCloud.backstitch", environment: "development")
            case .madeAnew:
                try await view.deleteZone()
                let other = try world.device()
                _ = try await other.addNote("from the other")
                try await other.sync.sync()
            }
            let theirs = loss == .madeAnew ? ["from the other"] : []
            switch policy ?? (loss == .purged ? "stop" : "keep") {
            case "keep":
                try await a.sync.sync()
                #expect(try await a.titles() == ["also sent"] + theirs + ["sent"])
                #expect(try await view.record(id)?.value("body") == .string("unsent"))
                #expect(try await view.all().count == 2 + theirs.count)
            case "wipe":
                try await a.sync.sync()
                #expect(try await a.titles() == theirs)
                #expect(try await view.all().count == theirs.count)
            default:
                let error = await #expect(throws: BackstitchError.self) { try await a.sync.sync() }
                #expect(error?.code == .syncPaused)
                #expect(try await a.titles() == ["also sent", "sent"])
                a.sync.resume(taking: .keep)
                try await a.sync.sync()
                #expect(try await view.all().count == 2 + theirs.count)
            }
            let fresh = try world.device()
            try await fresh.sync.sync()
            try await a.sync.sync()
            #expect(try await a.dump() == fresh.dump())
        }
    }

    @Test("turned off, a store is local, also when it is opened again; turned on, it sends what was saved meanwhile")
    func off() async throws {
        try await SyncWorld.run { world in
            let first = try world.device("phone")
            _ = try await first.addNote("sent")
            try await first.sync.sync()
            try await first.sync.turnOff()
            _ = try await first.addNote("meanwhile")
            let error = await #expect(throws: BackstitchError.self) { try await first.sync.sync() }
            #expect(error?.code == .syncPaused)
            try first.close()
            let second = try world.device("phone", automatic: true)
            #expect(try await second.sync.status.state == .off)
            second.sync.resume()
            await #expect(throws: BackstitchError.self) { try await second.sync.sync() }
            try await second.sync.turnOn()
            #expect(try await eventually { try await second.sync.status.pendingCount == 0 })
            #expect(try await WireView(world).all().count == 2)
        }
    }

    @Test("the cloud is erased, this device keeps everything and stays off until it is turned on")
    func eraseCloud() async throws {
        try await SyncWorld.run { world in
            let a = try world.device("phone", automatic: true)
            let id = try await a.addNote("kept")
            #expect(try await eventually { try await WireView(world).recordIfAny(id) != nil })
            try await a.sync.eraseCloud()
            let view = try WireView(world)
            try await view.makeZone()
            #expect(try await view.all().isEmpty)
            #expect(try await a.titles() == ["kept"])
            #expect(try await a.sync.status.state == .off)
            try await a.sync.turnOn()
            #expect(try await eventually { try await view.recordIfAny(id) != nil })
            // An erased cloud can be erased again, and offline it says so.
            try await a.sync.eraseCloud()
            try await a.sync.eraseCloud()
            await world.faults.set { _ in .dropConnection }
            let error = await #expect(throws: BackstitchError.self) { try await a.sync.eraseCloud() }
            #expect(error?.code == .network)
            await world.faults.clear()
        }
    }

    @Test("what is here is erased and read again; unsent changes and a missing network stand in the way", .scenario)
    func eraseLocal() async throws {
        let a = try s.device()
        let ids = try await a.addNotes(50)
        try await a.sync.sync()
        let before = try await a.dump()
        let summary = try await a.sync.eraseLocal()
        #expect(summary.inserted == ids.sorted())
        #expect(try await a.dump() == before)
        try await a.change(ids[0]) { note, _ in note.title = "unsent" }
        let unsent = await #expect(throws: BackstitchError.self) { try await a.sync.eraseLocal() }
        #expect(unsent?.code == .invalidRequest)
        try await s.network(.offline)
        let offline = await #expect(throws: BackstitchError.self) {
            try await a.sync.eraseLocal(discardingUnsent: true)
        }
        #expect(offline?.code == .network)
        try await s.network(nil)
        #expect(try await a.titles().contains("unsent"))
        try await a.sync.eraseLocal(discardingUnsent: true)
        #expect(try await a.dump() == before)
        #expect(try await s.zone().all().count == 50)
    }

    @Test("what is saved while the server is asked whether it is there stands in the way of erasing too", .scenario)
    func savedWhileErasing() async throws {
        let a = try s.device()
        _ = try await a.addNotes(2)
        try await a.sync.sync()
        try await s.faults.set { request in
            guard request.endpoint == "zones/lookup" else { return nil }
            do { _ = try await a.addNote("saved meanwhile") } catch { Issue.record(error) }
            return nil
        }
        let error = await #expect(throws: BackstitchError.self) { try await a.sync.eraseLocal() }
        try await s.faults.clear()
        #expect(error?.code == .invalidRequest)
        #expect(try await a.titles() == ["note 0", "note 1", "saved meanwhile"])
        #expect(try await a.sync.sync().sent == 1)
        try await a.sync.eraseLocal()
        #expect(try await a.titles() == ["note 0", "note 1", "saved meanwhile"])
    }
}
