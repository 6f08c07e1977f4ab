import Backstitch
import BackstitchServer
import BackstitchSync
import CloudWire
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("records of one name in two zones", .timeLimit(.minutes(3)))
struct UnexplainedRecordTests {
    /// When a device reads of the other record of an object that it has deleted.
    enum Beside: CaseIterable {
        /// While the one that it has deleted is still there.
        case both
        /// After another device has deleted that one.
        case goneThere
        /// Before the deletion, in an unfinished cycle.
        case asideBefore
        /// Likewise; then all zones are read anew, and the record that it has deleted is gone.
        case readAnew
    }

    private static let library = ManagedObjectModel([
        EntityDescription(
            "Book", [.attribute("isbn", .string), .attribute("title", .string), .attribute("pages", .integer64)]
        ).identified(by: "isbn")
    ])

    private func makeBook(_ values: [String: Value], inZone zone: String? = nil, on device: SyncDevice) async throws {
        try await device.edit { context in
            let book = try context.insertObject(entityName: "Book", identifiedBy: ["isbn": "978"])
            if let zone { try context.assign(book, toZone: zone) }
            for (name, value) in values { try book.setValue(value, forKey: name) }
        }
    }

    /// Title, pages and zone of each book.
    private func books(on device: SyncDevice) async throws -> [String] {
        let books = try await device.read { context in
            try context.fetch(FetchRequest<ManagedObject>(entityName: "Book")).map { book in
                let title: String? = book["title"], pages: Int64? = book["pages"]
                return (book.objectID, "\(title ?? "-") \(pages ?? 0)")
            }
        }
        var texts: [String] = []
        for (id, text) in books { texts.append("\(text) in '\(try await device.sync.zones.zone(of: id).name)'") }
        return texts
    }

    /// The deletion of the note "x" was weighed against another device's change of it, once, as the policy says.
    private func expectWeighed(
        _ conflicts: [SyncConflict], of note: ObjectID, _ policy: String, on devices: [SyncDevice]
    ) async throws {
        #expect(conflicts.map(\.kind) == [.deletedHereEditedThere] && conflicts.map(\.objectID) == [note])
        #expect(conflicts.first?.winner == (policy == "serverWins" ? .server : .client))
        for device in devices {
            #expect(try await device.titles() == (policy == "serverWins" ? ["x", "y"] : ["y"]))
            #expect(try device.movesUnderWay() == 0)
        }
    }

    @Test("an object that values identify stays where each device has made it, and the other zone's record is parked")
    func identified() async throws {
        try await Scenario.run { s in
            let (a, b) = try s.pair(model: Self.library)
            try await a.sync.zones.create(named: "Club")
            try await s.settle()
            try await makeBook(["title": "Emma"], on: a)
            try await makeBook(["pages": 400], inZone: "Club", on: b)
            var parked: [ParkedRecord] = []
            for device in [a, b, a, b] { parked += try await device.sync.sync().parked }
            #expect(parked.count == 2)
            #expect(parked.allSatisfy { $0.reason.contains("is also in another zone of this store") }, "\(parked)")
            #expect(try await books(on: a) == ["Emma 0 in ''"])
            #expect(try await books(on: b) == ["- 400 in 'Club'"])
            for device in [a, b] { #expect(try await device.sync.sync().parked.isEmpty) }
            // With one of the two deleted, the other one is accepted by all.
            try await b.edit { context in
                let book = try context.object(entityName: "Book", identifiedBy: ["isbn": "978"])
                context.delete(try #require(book))
            }
            for device in [b, a] { try await device.sync.sync() }
            for device in [a, b] {
                #expect(try await books(on: device) == ["Emma 0 in ''"])
                #expect(try await device.sync.blocked.parkedRecords().isEmpty)
                #expect(try device.movesUnderWay() == 0)
            }
        }
    }

    @Test("the deletion of an object that values identify leaves another device's record of them alone")
    func identifiedAndDeleted() async throws {
        try await Scenario.run { s in
            let (a, b) = try s.pair(policy: .clientWins, model: Self.library)
            try await a.sync.zones.create(named: "Club")
            try await s.settle()
            try await makeBook(["title": "Emma"], on: a)
            try await makeBook(["pages": 400], inZone: "Club", on: b)
            for device in [a, b, a, b] { try await device.sync.sync() }
            try await b.edit { context in
                let book = try context.object(entityName: "Book", identifiedBy: ["isbn": "978"])
                context.delete(try #require(book))
            }
            try await a.edit { context in
                let book = try context.object(entityName: "Book", identifiedBy: ["isbn": "978"])
                try #require(book).setValue(.string("Emma, again"), forKey: "title")
            }
            for device in [a, b, a, b] { #expect(try await device.sync.sync().conflicts.isEmpty) }
            for device in [a, b] {
                #expect(try await books(on: device) == ["Emma, again 0 in ''"])
                #expect(try device.movesUnderWay() == 0)
            }
        }
    }

    @Test("a guest's object takes none out of another zone of the owner that has its identity")
    func guest() async throws {
        try await SharedLists.run { lists in
            let alice = try lists.own("alice", model: Self.library)
            for zone in ["Club", "Work"] { try await alice.sync.zones.create(named: zone) }
            try await makeBook(["title": "Emma", "pages": 400], inZone: "Work", on: alice)
            try await alice.sync.sync()
            let share = try await alice.sync.sharing.share(zoneNamed: "Club", title: "Club", participants: [.bob])
            let bob = try await lists.joined("bob", share, model: Self.library)
            let club = try #require(try await bob.sync.zones.all().first?.name)
            try await makeBook(["title": "of Bob"], inZone: club, on: bob)
            try await bob.sync.sync()
            let summary = try await alice.sync.sync()
            #expect(summary.parked.count == 1 && summary.updated.isEmpty && summary.conflicts.isEmpty)
            for device in [alice, bob, alice] { try await device.sync.sync() }
            #expect(try await books(on: alice) == ["Emma 400 in 'Work'"])
            #expect(try await books(on: bob) == ["of Bob 0 in '\(club)'"])
        }
    }

    @Test("a record to which a guest gives the name of a private object changes nothing of that")
    func namesake() async throws {
        try await SharedLists.run { lists in
            let (alice, share) = try await lists.club(.bob)
            _ = try await alice.addFolder("private", notes: ["p"])
            try await alice.sync.sync()
            let bob = try await lists.joined("bob", share)
            let note = try await alice.note("p")
            try await bob.send(
                RecordOperation(
                    .create,
                    WireRecord(
                        recordName: note.key.uuidString, recordType: "Note", fields: ["title": .string("of Bob")])))
            for _ in 0..<3 { try await alice.sync.sync() }
            #expect(try await alice.places() == ["n1 in 'Club'", "n2 in 'Club'", "p in ''"])
            #expect(try await alice.sync.blocked.parkedRecords().map(\.recordName) == [note.key.uuidString])
        }
    }

    @Test("an object that its owner moves out of a shared zone leaves it, and a guest's unsent edit is taken back")
    func movedOut() async throws {
        try await SharedLists.run { lists in
            let (alice, share) = try await lists.club(.bob)
            let bob = try lists.guest("bob", model: .withParents, [.syncConflictResolutionPolicy: "clientWins"])
            try await bob.sync.sharing.accept(at: share.url)
            try await bob.sync.sync()
            let note = try await alice.note("n1")
            try await bob.change(note) { note, _ in (note.title, note.rank) = ("of Bob", 7) }
            let folder = try await alice.read { context in
                try #require(try context.fetch(FetchRequest<TestFolder>(where: "name == 'F'")).first).objectID
            }
            try await alice.sync.zones.move([folder], to: "")
            try await alice.retitle(note, "of Alice")
            for _ in 0..<2 { try await alice.sync.sync() }
            let summary = try await bob.sync.sync()
            #expect(summary.reverted.map(\.objectID) == [note] && summary.conflicts.isEmpty)
            #expect(summary.reverted.first?.values["rank"] == .int(7))
            for device in [alice, bob, alice] { try await device.sync.sync() }
            #expect(try await alice.places() == ["n2 in ''", "of Alice in ''"])
            #expect(try await bob.titles().isEmpty)
            try await lists.scenario.expectNothingUnsent()
        }
    }

    @Test("whichever of two zones is read first, a move is none of an object that nobody explains")
    func order() async throws {
        try await Scenario.run { s in
            let (a, b) = try s.pair(model: .withParents)
            for zone in ["Club", "Team"] { try await a.sync.zones.create(named: zone) }
            let folder = try await a.addFolder("F", notes: ["x", "y"])
            try await s.settle()
            for zone in ["Team", "Club", "", "Club", "Team", ""] {
                try await a.sync.zones.move([folder], to: zone)
                for _ in 0..<2 { try await a.sync.sync() }
                let summary = try await b.sync.sync()
                #expect(summary.parked.isEmpty && summary.inserted.isEmpty && summary.deleted.isEmpty)
                #expect(try await b.places() == ["x in '\(zone)'", "y in '\(zone)'"])
                #expect(try await b.sync.blocked.parkedRecords().isEmpty)
                #expect(try b.movesUnderWay() == 0)
            }
        }
    }

    @Test("of an object with records in two zones the one stays whose zone comes first, and what the other has is told")
    func twoRecords() async throws {
        try await Scenario.run { s in
            let (a, b) = try s.pair(model: .withParents)
            let folder = try await a.addFolder("F", notes: ["x"])
            try await a.sync.zones.create(named: "Club")
            try await s.settle()
            let note = try await a.note("x")
            try await b.set(note, ["body": "of b"])
            try await a.sync.zones.move([folder], to: "Club")
            try await s.sync(a)
            try await a.set(note, ["title": "of a"])
            try await s.sync(a)
            try await s.zone().deleteZone()
            var conflicts: [SyncConflict] = []
            for device in [b, b, a, b, a, b] { conflicts += try await device.sync.sync().conflicts }
            for device in [a, b] {
                #expect(try await device.places() == ["x in ''"])
                #expect(try await device.values("body") == ["of b"])
            }
            #expect(conflicts.map(\.objectID) == [note] && conflicts.first?.winner == .client)
            #expect(conflicts.first?.keys == ["body", "title"])
            try await s.expectNothingUnsent()
        }
    }

    @Test(
        "a deletion of an object that others have in another zone as well is weighed against their record",
        arguments: ["serverWins", "clientWins"], Beside.allCases)
    func deleted(_ policy: String, beside: Beside) async throws {
        try await Scenario.run { s in
            let a = try s.device(model: .withParents, [.syncConflictResolutionPolicy: policy])
            let b = try s.device(model: .withParents)
            let folder = try await a.addFolder("F", notes: ["x", "y"])
            try await a.sync.zones.create(named: "Club")
            try await s.settle()
            let note = try await a.note("x")
            try await b.set(note, ["body": "of b"])
            try await a.sync.zones.move([folder], to: "Club")
            try await s.sync(a)
            let isAside = [.asideBefore, .readAnew].contains(beside)
            if !isAside { try await a.delete(note) }
            try await s.zone().deleteZone()
            var conflicts: [SyncConflict] = []
            if isAside {
                try await b.sync.sync()
                // The record is set aside, and the cycle breaks off.
                try await s.faults.set { $0.endpoint == "changes/database" ? .unavailable(retryAfter: 20) : nil }
                _ = try? await a.sync.sync()
                try await s.faults.clear()
                try await a.delete(note)
            }
            if beside == .readAnew {
                for _ in 0..<2 { try await b.sync.sync() }
                conflicts += try await a.sync.syncFromScratch().conflicts
            }
            for device in beside == .goneThere ? [b, b, a, b, a, b] : [b, a, b, a, b] {
                let summary = try await device.sync.sync()
                if device === a { conflicts += summary.conflicts }
            }
            try await expectWeighed(conflicts, of: note, policy, on: [a, b])
            try await s.expectNothingUnsent()
        }
    }

    @Test(
        "the deletion of an object that has left its zone is weighed where that has got, also when the zone is gone",
        arguments: ["clientWins", "serverWins"], ["", "Team"])
    func formerZoneGone(_ policy: String, destination: String) async throws {
        try await Scenario.run { s in
            let a = try s.device(model: .withParents, [.syncConflictResolutionPolicy: policy])
            let b = try s.device(model: .withParents)
            let folder = try await a.addFolder("F", notes: ["x", "y"])
            try await a.sync.zones.create(named: "Club")
            try await a.sync.zones.move([folder], to: "Club")
            try await s.settle()
            #expect(try await b.titles() == ["x", "y"])
            let note = try await a.note("x")
            try await a.delete(note)
            if destination == "Team" { try await b.sync.zones.create(named: "Team") }
            try await b.sync.zones.move([folder], to: destination)
            try await s.sync(b, b)
            try await b.sync.zones.delete(named: "Club")
            var conflicts: [SyncConflict] = []
            for device in [a, b, a, b, a] {
                let summary = try await device.sync.sync()
                if device === a { conflicts += summary.conflicts }
            }
            try await expectWeighed(conflicts, of: note, policy, on: [a, b])
            try await s.expectNothingUnsent()
        }
    }

    @Test("an object with a change that stays here does not move, nor what hangs on it, before the change is sent")
    func blocked() async throws {
        try await Scenario.run { s in
            let maker = try s.device(model: .withParents)
            let a = try s.device(model: .withParents, [.syncAuthors: ["user"]])
            let folder = try await maker.addFolder("F", notes: ["x"])
            try await maker.sync.zones.create(named: "Club")
            try await s.sync(maker, a)
            let note = try await a.note("x")
            try await a.set(note, ["body": "of an importer"])
            let error = await #expect(throws: BackstitchError.self) {
                try await a.sync.zones.move([folder], to: "Club")
            }
            #expect(error?.code == .invalidRequest)
            #expect(error?.message.contains("\(note) has a change that is not sent") == true, "\(error?.message ?? "")")
            try await a.sync.sync()
            #expect(try await a.places() == ["x in ''"])
            #expect(try a.movesUnderWay() == 0)
            try await a.sync.blocked.retry([note])
            try await a.sync.zones.move([folder], to: "Club")
            for _ in 0..<2 { try await a.sync.sync() }
            #expect(try await a.places() == ["x in 'Club'"])
        }
    }
}

extension SyncDevice {
    /// Sends an operation to the first further zone, as any client of the wire may.
    func send(_ operation: RecordOperation) async throws {
        let zone = try #require(try await sync.zones.all().first { !$0.name.isEmpty }?.name)
        let client = try await client(zone)
        let request = RecordsModifyRequest(zoneID: client.zone, operations: [operation], atomic: false)
        let results = try await client.call(.recordsModify, request, as: RecordsResponse.self).records
        try #require(results.count == 1)
        if case .error(let error) = results[0] { throw TestFailure("\(error)") }
    }
}
