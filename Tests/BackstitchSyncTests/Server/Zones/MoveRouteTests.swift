import Backstitch
import BackstitchServer
import BackstitchSupport
import BackstitchSync
import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchSync

/// A route is the way from one zone to another. Its objects move in batches.
@Suite("objects of one route of moves", .timeLimit(.minutes(3)))
struct MoveRouteTests {
    /// Spoils one record in each request that makes it, so that the server refuses it.
    private final class SpoilingLine: Transport {
        private let base: any Transport
        let spoilt = Locked<String?>(nil)

        init(_ base: any Transport) { self.base = base }

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            guard let name = spoilt.withLock({ $0 }), request.url.contains("records/modify") else {
                return try await base.send(request)
            }
            var asked = try RecordsModifyRequest(wireJSON: request.body)
            for index in asked.operations.indices
            where asked.operations[index].record.recordName == name
                && asked.operations[index].operationType == .create
            {
                asked.operations[index].record.recordType = nil
            }
            var request = request
            request.body = try asked.wireJSON()
            return try await base.send(request)
        }
    }

    /// Two objects are in a request at most.
    private static let limits = WireLimits(
        operations: 4, bytes: 8_388_608, page: 100, record: 1_048_576, asset: 52_428_800)

    private func notes(_ titles: [String], by device: SyncDevice) async throws -> [ObjectID] {
        var ids: [ObjectID] = []
        for title in titles { ids.append(try await device.add(["title": .string(title)])) }
        try await device.sync.zones.create(named: "Club")
        for _ in 0..<2 { try await device.sync.sync() }
        return ids
    }

    @Test("one sync moves those after some that cannot be sent, and tells these")
    func unsendable() async throws {
        try await Scenario.run(limits: Self.limits) { s in
            let a = try s.device()
            let ids = try await notes(["p", "q", "x", "y"], by: a)
            for id in ids.prefix(2) { try await a.set(id, ["photo": .data(Data(repeating: 7, count: 5_000))]) }
            for _ in 0..<2 { try await a.sync.sync() }
            for id in ids.prefix(2) { try await a.sync.assets.pause("photo", of: id) }
            try await a.sync.zones.move(ids, to: "Club")
            let summary = try await a.sync.sync()
            #expect(Set(summary.blocked.map(\.objectID)) == Set(ids.prefix(2)))
            #expect(summary.blocked.allSatisfy { $0.reason.contains("cannot move to another zone") })
            #expect(try await a.places() == ["p in ''", "q in ''", "x in 'Club'", "y in 'Club'"])
            for id in ids.prefix(2) { try await a.sync.assets.resume("photo", of: id) }
            try await a.sync.blocked.retry()
            try await a.sync.sync()
            #expect(try await a.places() == ["p in 'Club'", "q in 'Club'", "x in 'Club'", "y in 'Club'"])
        }
    }

    @Test("one sync moves those that the server has refused only because of another one", arguments: [0, 1])
    func refused(position: Int) async throws {
        try await Scenario.run(limits: Self.limits) { s in
            let line = SpoilingLine(s.server)
            let a = try s.device(over: line)
            let titles = ["x", "y"], ids = try await notes(titles, by: a)
            line.spoilt.withLock { $0 = ids[position].key.uuidString }
            try await a.sync.zones.move(ids, to: "Club")
            let summary = try await a.sync.sync()
            #expect(summary.blocked.map(\.objectID) == [ids[position]])
            let places = titles.map { "\($0) in '\($0 == titles[position] ? "" : "Club")'" }
            #expect(try await a.places() == places)
            line.spoilt.withLock { $0 = nil }
            try await a.sync.blocked.retry()
            try await a.sync.sync()
            #expect(try await a.places() == titles.map { "\($0) in 'Club'" })
        }
    }

    @Test("a blocked move stops no rotation of keys in the zone that the object is to leave")
    func rotation() async throws {
        try await Scenario.run { s in
            let keys = try TestKeys("k1")
            let a = try s.device(model: VaultModel.description, [.syncEncryptionKeys: keys])
            let blocked = try await a.addSecret(["text": "t", "picture": .data(Data(repeating: 7, count: 70_000))])
            for number in 0..<5 { _ = try await a.addSecret(["text": .string("t\(number)")]) }
            try await a.sync.zones.create(named: "Club")
            for _ in 0..<2 { try await a.sync.sync() }
            try await a.sync.assets.pause("picture", of: blocked)
            try await a.sync.zones.move([blocked], to: "Club")
            #expect(try await a.sync.sync().blocked.map(\.objectID) == [blocked])
            try keys.rotate(to: "k2", replacing: "k1")
            for _ in 0..<3 { try await a.sync.sync() }
            // The blocked one follows with its move.
            #expect(try await a.sync.encryption.status().recordsToRotate <= 1)
            try await a.sync.assets.resume("picture", of: blocked)
            try await a.sync.blocked.retry()
            for _ in 0..<3 { try await a.sync.sync() }
            #expect(try await a.sync.encryption.status().recordsToRotate == 0)
            #expect(try await a.sync.zones.zone(of: blocked).name == "Club")
        }
    }
}

@Suite("records of strangers, and moves", .timeLimit(.minutes(3)))
struct StrangersRecordTests {
    /// Moves the notes of "Club" to the main zone of their owner.
    private func leave(_ alice: SyncDevice) async throws {
        let folder = try await alice.read { context in
            try #require(try context.fetch(FetchRequest<TestFolder>(where: "name == 'F'")).first).objectID
        }
        try await alice.sync.zones.move([folder], to: "")
        for _ in 0..<2 { try await alice.sync.sync() }
    }

    private func forgery(of note: ObjectID, _ title: String) -> RecordOperation {
        RecordOperation(
            .create,
            WireRecord(recordName: note.key.uuidString, recordType: "Note", fields: ["title": .string(title)]))
    }

    @Test("one in another shared zone of the owner does not explain where an object has gone")
    func explainsNothing() async throws {
        try await SharedLists.run { lists in
            let (alice, share) = try await lists.club(.bob)
            let bob = try await lists.joined("bob", share), note = try await alice.note("n1")
            try await alice.sync.zones.create(named: "Team")
            try await alice.sync.sync()
            let other = try await alice.sync.sharing.share(
                zoneNamed: "Team", title: "Team", participants: [.bob, .carol])
            let carol = try await lists.joined("carol", other)
            try await bob.sync.sharing.accept(at: other.url)
            try await bob.sync.sync()
            try await bob.change(note) { note, _ in note.rank = 7 }
            try await carol.send(forgery(of: note, "of Carol"))
            try await leave(alice)
            var reverted: [RevertedChange] = []
            for _ in 0..<2 { reverted += try await bob.sync.sync().reverted }
            // The edit was made to the object that has gone. It is not made to the stranger's record.
            #expect(reverted.map(\.objectID) == [note])
            try await carol.sync.sync()
            let ranks = try await carol.read { context in
                try context.fetch(FetchRequest<TestNote>(where: "title == 'of Carol'")).map {
                    try $0.value(forKey: "rank")
                }
            }
            #expect(ranks == [.null])
            #expect(try bob.movesUnderWay() == 0)
        }
    }

    @Test("one in a zone of another owner does not keep an object here that has gone")
    func keepsNothing() async throws {
        try await SharedLists.run { lists in
            let (alice, club) = try await lists.club(.bob)
            let bob = try await lists.joined("bob", club), note = try await alice.note("n1")
            let carol = try lists.own("carol")
            try await carol.sync.zones.create(named: "Hers")
            try await carol.sync.sync()
            let share = try await carol.sync.sharing.share(zoneNamed: "Hers", title: "Hers", participants: [.bob])
            try await bob.sync.sharing.accept(at: share.url)
            try await bob.sync.sync()
            try await carol.send(forgery(of: note, "of Carol"))
            #expect(try await bob.sync.sync().parked.map(\.recordName) == [note.key.uuidString])
            try await leave(alice)
            for _ in 0..<2 { try await bob.sync.sync() }
            #expect(try await !bob.titles().contains("n1"))
            #expect(try bob.movesUnderWay() == 0)
        }
    }
}
