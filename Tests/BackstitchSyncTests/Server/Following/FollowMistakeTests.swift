import Backstitch
import Foundation
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("requests that cannot be followed", .scenario) struct FollowMistakeTests: ScenarioSuite {
    @Test(
        "a predicate that the server cannot evaluate is refused at once, with the part and the reason",
        arguments: [
            ("title == 'a' OR title == 'b'", "knows no OR"), ("folder.name == 'F'", "attribute or a to-one"),
            ("ANY tags.name == 'x'", "attribute or a to-one"), ("title ==[c] 'a'", "folds no case"),
            ("title CONTAINS 'a'", "no such comparison"), ("title LIKE 'a*'", "no such comparison"),
            ("title MATCHES 'a.*'", "no such comparison"), ("title ENDSWITH 'a'", "no such comparison"),
            ("body == nil", "missing values"), ("body != nil", "missing values"),
            ("NOT rank < 3", "write the opposite"),
            ("NOT (rank == 1 AND small == 2)", "single comparisons"), ("FALSEPREDICATE", "no object matches it"),
            ("price == 1.5", "price differently"), ("tags.@count > 1", "attribute or a to-one"),
            ("rank IN {1, nil}", "no such comparison"), ("photo != nil", "outside the record"),
            ("rank == small", "no such comparison"), ("nothing == 1", "nothing"),
        ])
    func predicates(_ format: String, _ reason: String) async throws {
        let device = try s.device(nil, [.syncDatabase: "public"])
        let error = await #expect(throws: BackstitchError.self) {
            try await device.sync.following.start(FetchRequest<TestNote>(where: format))
        }
        #expect(error?.code == .invalidPredicate, "\(String(describing: error))")
        #expect(error?.message.contains(reason) == true, "\(String(describing: error))")
        #expect(try await device.sync.following.requests().isEmpty)
    }

    @Test(
        "limits, offsets, unknown entities, too many requests and comparisons, and stores of other databases are refused"
    )
    func requests() async throws {
        let device = try s.device(nil, [.syncDatabase: "public"])
        func refusal(_ request: FetchRequest<TestNote>, _ device: SyncDevice) async -> BackstitchError? {
            await #expect(throws: BackstitchError.self) { try await device.sync.following.start(request) }
        }
        #expect(await refusal(FetchRequest(limit: 3), device)?.message.contains("limit or an offset") == true)
        #expect(await refusal(FetchRequest(offset: 3), device)?.code == .invalidRequest)
        let unknown = await refusal(FetchRequest(entityName: "Nothing"), device)
        #expect(
            unknown?.message.contains("no entity \"Nothing\"") == true && unknown?.message.contains("Folder") == true)
        for database in ["private", "shared"] {
            let error = await refusal(FetchRequest(), try s.device(nil, [.syncDatabase: database]))
            #expect(error?.code == .invalidRequest && error?.message.contains("syncDatabase: \"public\"") == true)
        }
        let format = Array(repeating: "rank != 1", count: 16).joined(separator: " AND ")
        let many = await refusal(try FetchRequest(where: format), device)
        #expect(many?.code == .invalidPredicate && many?.message.contains("16 comparisons") == true)
        let values = FetchExpression.values((0...250).map { Value.int($0) })
        let list = FetchPredicate.comparison(.init(.keyPath("rank"), .in, values))
        #expect(await refusal(FetchRequest(predicate: list), device)?.message.contains("251 values") == true)
        for rank in 0..<FollowedRequest.maximumCount {
            try await device.sync.following.start(FetchRequest<TestNote>(where: "rank == %d", rank))
            // A second time is no second request.
            try await device.sync.following.start(FetchRequest<TestNote>(where: "rank == %d", rank))
        }
        let last = await refusal(try FetchRequest(where: "rank == 20"), device)
        #expect(last?.message.contains("20 requests at most") == true)
        #expect(try await device.sync.following.requests().count == 20)
    }

    @Test("a store of the public database has no zones of its own and shares nothing, and takes no name of a zone")
    func zones() async throws {
        let device = try s.device(nil, [.syncDatabase: "public"])
        #expect(try await device.sync.zones.all().map(\.zoneName) == ["_defaultZone"])
        for body in [
            { try await device.sync.zones.create(named: "Club") },
            { try await device.sync.zones.delete(named: "Club") },
            { try await device.sync.eraseCloud() }, { _ = try await device.sync.sharing.share(zoneNamed: "") },
            { try await device.sync.sharing.accept(at: URL(string: "https://example.org/share/x")!) },
        ] as [@Sendable () async throws -> Void] {
            let error = await #expect(throws: BackstitchError.self) { try await body() }
            #expect(error?.code == .invalidRequest && error?.message.contains("public database") == true)
        }
        let option = #expect(throws: BackstitchError.self) {
            try s.device(nil, [.syncDatabase: "public", .syncZoneName: "Notes"])
        }
        #expect(option?.code == .invalidOption && option?.message.contains("syncZoneName") == true)
    }

    @Test("an edit of an object that somebody has deleted is sent once its request is no longer followed")
    func editedAndUnfollowed() async throws {
        try await PublicNotes.run { notes in
            let alice = try notes.device("alice")
            let note = try await alice.publish(["a": 1])[0]
            try await alice.sync.sync()
            let other = try await notes.reader("alice", policy: .clientWins)
            try await other.change(note) { note, _ in note.title = "A" }
            try await alice.delete(note)
            try await alice.sync.sync()
            try await other.sync.following.stop(PublicNotes.low, keepsObjects: true)
            try await other.sync.sync()
            #expect(try other.store.backing.readJournal { try $0.outboxCounts().waiting } == 0)
            let bob = try await notes.reader("bob")
            #expect(try await bob.titles() == ["A"])
        }
    }
}
