import Backstitch
import BackstitchServer
import BackstitchSimulator
import BackstitchSync
import CloudWire
import Foundation
import TestSupport
import Testing

@Suite("sync over a bad network")
struct FaultTests: ScenarioSuite {
    struct Failure: Sendable, CustomTestStringConvertible {
        let name: String
        let fault: FaultInjector.Fault

        var testDescription: String { name }

        static let all = [
            Failure(name: "the connection is cut before the request", fault: .dropConnection),
            Failure(name: "the connection is cut before the answer", fault: .dropResponse),
            Failure(name: "the server throttles", fault: .throttled(retryAfter: 1)),
            Failure(name: "the server is busy for a long time", fault: .unavailable(retryAfter: 30)),
        ]
    }

    @Test(
        "every failure at every request: the store works, nothing is lost or doubled, the replicas converge (T7)",
        arguments: Failure.all)
    func everyStep(_ failure: Failure) async throws {
        try await SyncWorld.run { world in
            var number = 0
            while true {
                // Both have changed the same and different objects; b has an asset too, and c is new.
                let zone: [StoreOption: any Sendable] = [.syncZoneName: "zone\(number)"]
                let a = try world.device(nil, zone), b = try world.device(nil, zone), c = try world.device(nil, zone)
                let id = try await a.addNote("contested") { note, _ in note.body = "base" }
                _ = try await converge(a, b)
                try await a.change(id) { note, _ in note.title = "A" }
                try await a.sync.sync()
                try await b.change(id) { note, _ in note.body = "B" }
                _ = try await b.addNote("new") { note, context in
                    note.photo = Data("photo".utf8)
                    let folder = TestFolder(context: context)
                    folder.name = "Home"
                    note.folder = folder
                }
                await world.faults.fail(number, failure.fault)
                for device in [b, c] {
                    do { try await device.sync.sync() } catch let error as BackstitchError {
                        #expect([.network, .server].contains(error.code), "\(error)")
                        // The store works as before.
                        #expect(try await b.titles().contains("new"))
                    }
                }
                let wasHit = await world.faults.requests.count > number
                await world.faults.clear()
                let dumps = try await converge(b, a, c)
                #expect(dumps[0] == dumps[1], "after a failure of request \(number)")
                #expect(dumps[0] == dumps[2], "after a failure of request \(number)")
                #expect(
                    try await c.read { try $0.fetch(FetchRequest<TestNote>(where: "photo != nil")).first?.photo?.count }
                        == 5)
                #expect(dumps[0].count == 3)
                #expect(dumps[0].contains { $0.contains("\"A\"") && $0.contains("\"B\"") })
                #expect(try await b.sync.status.pendingCount == 0)
                try a.close()
                try b.close()
                try c.close()
                number += 1
                if !wasHit { break }
            }
            #expect(number > 8)
        }
    }

    @Test("offline is a state: it says what waits and why, and the store goes on working")
    func offline() async throws {
        try await SyncWorld.run { world in
            let a = try world.device(automatic: true)
            #expect(try await eventually { try await a.sync.status.isFirstSyncComplete })
            await world.faults.set { _ in .dropConnection }
            _ = try await a.addNote("one")
            _ = try await a.addNote("two")
            // While it tries again no next try is due: one look has to find it between two of them.
            var status = try await a.sync.status
            let isOffline = try await eventually {
                status = try await a.sync.status
                return status.state == .offline && status.nextTry != nil
            }
            #expect(isOffline)
            #expect(status.pendingCount == 2)
            #expect(status.lastError?.code == .network)
            #expect(try await a.titles() == ["one", "two"])
            await world.faults.clear()
            // It recovers by itself.
            #expect(try await eventually { try await a.sync.status.pendingCount == 0 })
            #expect(try await eventually { try await a.sync.status.state == .idle })
            #expect(try await WireView(world).all().count == 2)
        }
    }

    @Test(
        "a push whose answer is lost is no second object and no conflict, also after an edit", .scenario,
        arguments: [true, false])
    func lostAnswer(_ editsAfter: Bool) async throws {
        let (a, b) = try s.pair()
        let id = try await a.add(["title": "first"], number: 1)
        try await s.settle()
        try await a.set(id, ["title": "second"])
        try await a.add(["title": "other"], number: 2)
        try await s.sync(a, .lostAnswer)
        if editsAfter { try await a.set(id, ["title": "third"]) }
        let summary = try await a.sync.sync()
        #expect(summary.conflicts.isEmpty)
        try await b.sync.sync()
        try await s.expect("Note 1 title '\(editsAfter ? "third" : "second")'", "Note 2 title 'other'")
    }

    @Test("a push of which only the answer is lost is found to be done by a look, in the same cycle", .scenario)
    func foundDone() async throws {
        let (a, b) = try s.pair()
        _ = try await a.addNote("note")
        try await s.faults.set { $0.endpoint == "records/modify" ? .dropResponse : nil }
        let summary = try await a.sync.sync()
        #expect(summary.conflicts.isEmpty)
        #expect(try await a.sync.status.pendingCount == 0)
        #expect(try await s.faults.requests.count { $0 == "records/modify" } == 1)
        try await s.faults.clear()
        try await b.sync.sync()
        #expect(try await b.titles() == ["note"])
    }

    @Test(
        "a token that is not honoured any more: deletions that were missed are found, unsent edits stay (T13)",
        .scenario)
    func tokenExpired() async throws {
        let (a, b) = try s.pair()
        for number in UInt64(0)..<6 { try await a.add(["title": .string("note \(number)")], number: number) }
        try await s.settle()
        let gone = (0..<3).map(noteID)
        for id in gone { try await a.delete(id) }
        try await a.sync.sync()
        try await b.set(noteID(5), ["body": "unsent"])
        try await s.server.invalidateSyncTokens()
        #expect(try await b.sync.sync().deleted == gone)
        try await s.settle()
        try await s.expect("Note 3 title 'note 3'", "Note 4 title 'note 4'", "Note 5 body 'unsent' title 'note 5'")
    }

    @Test("a zone that is deleted on the server is filled again, and nothing is lost", .scenario)
    func zoneDeleted() async throws {
        let (a, b) = try s.pair()
        let id = try await a.add(["title": "kept"], number: 1)
        try await s.settle()
        try await b.set(id, ["body": "unsent"])
        try await s.zone().deleteZone()
        try await s.sync(b, a)
        try await s.settle()
        try await s.expect("Note 1 body 'unsent' title 'kept'")
    }

    @Test("an asset that cannot be had now is had later, and record sync does not wait for it (T12)", .scenario)
    func assetOffline() async throws {
        let (a, b) = try s.pair()
        let id = try await a.addNote("with cover") { note, _ in note.cover = Data("cover".utf8) }
        try await a.sync.sync()
        try await s.faults.set { $0.endpoint.contains("asset") ? .dropConnection : nil }
        let summary = try await b.sync.sync()
        #expect(summary.inserted == [id])
        #expect(summary.missingAssets == 1)
        await #expect(throws: BackstitchError.self) { try await b.sync.assets.download("cover", of: id) }
        let reason = try #require(try await b.sync.assets.missing().first?.reason)
        #expect(
            try await b.sync.assets.state("cover", of: id) == .failed(.download, size: 5, reason: reason))
        try await s.faults.clear()
        #expect(try await b.sync.sync().missingAssets == 0)
        #expect(try await b.read { try ($0.existingObject(with: id) as? TestNote)?.cover } == Data("cover".utf8))
    }
}
