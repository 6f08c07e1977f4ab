import Backstitch
import BackstitchSync
import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchSync

extension MoveNotes {
    /// All notes of a store.
    init(_ journal: any JournalReading) throws {
        var all = MoveNotes()
        try journal.forEachPageOfMoves { all.add($0) }
        self = all
    }
}

extension SyncDevice {
    /// The number of notes about moves.
    func movesUnderWay() throws -> Int { try store.backing.readJournal { try MoveNotes($0).objects.count } }
}

@Suite("moves from one zone to another", .scenario)
struct MoveTests: ScenarioSuite {
    private func pair(_ more: [StoreOption: any Sendable] = [:]) throws -> (SyncDevice, SyncDevice) {
        try s.pair(model: .withParents, more)
    }

    @Test("a folder moves with its notes, as the same objects, and one sync does it")
    func whole() async throws {
        let (a, b) = try pair()
        let folder = try await a.addFolder("F", notes: ["x", "y"])
        try await s.settle()
        try await a.sync.zones.create(named: "Club")
        #expect(try await a.sync.zones.move([folder], to: "Club").count == 3)
        try await s.sync(a)
        #expect(try await a.places() == ["x in 'Club'", "y in 'Club'"])
        #expect(try a.movesUnderWay() == 0)
        let summary = try await b.sync.sync()
        #expect(summary.inserted.isEmpty && summary.deleted.isEmpty && summary.conflicts.isEmpty)
        #expect(try await b.places() == ["x in 'Club'", "y in 'Club'"])
        #expect(try await b.sync.zones.zone(of: folder).name == "Club")
        try await s.settleMoves()
    }

    @Test("what the server does not know yet is in the other zone at once")
    func unsent() async throws {
        let (a, b) = try pair()
        let folder = try await a.addFolder("F", notes: ["x"])
        try await a.sync.zones.create(named: "Club")
        try await a.sync.zones.move([folder], to: "Club")
        #expect(try await a.places() == ["x in 'Club'"])
        try await s.sync(a, b)
        #expect(try await b.places() == ["x in 'Club'"])
        try await s.settleMoves()
    }

    @Test("a link to an object that stays is refused, with both ends, and nothing moves")
    func links() async throws {
        let a = try s.device(model: .withParents)
        let folder = try await a.addFolder("F", notes: ["x"])
        try await s.sync(a)
        try await a.sync.zones.create(named: "Club")
        let note = try await a.note("x")
        let error = await #expect(throws: BackstitchError.self) { try await a.sync.zones.move([note], to: "Club") }
        #expect(error?.code == .crossZoneRelationship)
        #expect(error?.message.contains("\(note) leads by folder to \(folder)") == true, "\(error?.message ?? "")")
        await #expect(throws: BackstitchError.self) { try await a.sync.zones.move([folder], to: "Elsewhere") }
        #expect(try await a.places() == ["x in ''"])
        #expect(try a.movesUnderWay() == 0)
    }

    @Test("an edit that another device made offline goes along", arguments: [true, false])
    func offlineEdit(sendsFirst: Bool) async throws {
        let (a, b) = try pair()
        let folder = try await a.addFolder("F", notes: ["x"])
        try await s.settle()
        let note = try await a.note("x")
        try await b.set(note, ["body": "from b"])
        try await a.sync.zones.create(named: "Club")
        try await a.sync.zones.move([folder], to: "Club")
        try await a.set(note, ["rank": 7])
        if sendsFirst { try await s.sync(b) }
        try await s.sync(a, b)
        try await s.settleMoves()
        for device in [a, b] {
            let values = try await device.read { context in
                let note = try context.existingObject(with: note)
                return [try note.value(forKey: "body"), try note.value(forKey: "rank")]
            }
            #expect(values == [.string("from b"), .int(7)])
            #expect(try await device.places() == ["x in 'Club'"])
        }
    }

    @Test("an edit whose object comes in one of several zones that are read together is sent by the same sync")
    func offlineEditBesideOthers() async throws {
        let (a, b) = try pair()
        let folder = try await a.addFolder("F", notes: ["x"]), other = try await a.addFolder("G", notes: ["y"])
        try await s.settle()
        try await b.set(try await b.note("x"), ["body": "from b"])
        for (name, moved) in [("Club", folder), ("Team", other)] {
            try await a.sync.zones.create(named: name)
            try await a.sync.zones.move([moved], to: name)
        }
        try await s.sync(a, b)
        #expect(try await b.sync.status.pendingCount == 0)
        try await s.settleMoves()
    }

    @Test("a note that another device has added to the folder meanwhile follows it", arguments: [true, false])
    func newChild(sendsFirst: Bool) async throws {
        let (a, b) = try pair()
        let folder = try await a.addFolder("F", notes: ["x"])
        try await s.settle()
        try await b.edit { context in
            let note = TestNote(context: context)
            note.title = "late"
            note.folder = try context.existingObject(with: folder) as? TestFolder
        }
        try await a.sync.zones.create(named: "Club")
        try await a.sync.zones.move([folder], to: "Club")
        if sendsFirst { try await s.sync(b) }
        try await s.sync(a, b)
        try await s.settleMoves()
        #expect(try await a.places() == ["late in 'Club'", "x in 'Club'"])
    }

    @Test("a note that a device has added to the folder follows it, also where the device that moved it is gone")
    func newChildAlone() async throws {
        let (a, b) = try pair()
        let folder = try await a.addFolder("F", notes: ["x"])
        try await s.settle()
        try await b.edit { context in
            let note = TestNote(context: context)
            note.title = "late"
            note.folder = try context.existingObject(with: folder) as? TestFolder
        }
        try await a.sync.zones.create(named: "Club")
        try await a.sync.zones.move([folder], to: "Club")
        try await s.sync(a)
        try a.close()
        try await s.sync(b)
        try await s.settleMoves()
        #expect(try await b.places() == ["late in 'Club'", "x in 'Club'"])
    }

    @Test("a zone that objects are about to leave is not deleted with them")
    func zoneInUse() async throws {
        let (a, b) = try pair()
        for zone in ["Club", "Team"] { try await a.sync.zones.create(named: zone) }
        let folder = try await a.addFolder("F", inZone: "Club", notes: ["x"])
        try await s.settle()
        try await a.sync.zones.move([folder], to: "Team")
        let error = await #expect(throws: BackstitchError.self) { try await a.sync.zones.delete(named: "Club") }
        #expect(error?.code == .invalidRequest && error?.message.contains("2 objects of the zone \"Club\"") == true)
        try await s.sync(a)
        try await a.sync.zones.delete(named: "Club")
        try await s.settleMoves()
        #expect(try await b.places() == ["x in 'Team'"])
    }

    @Test("of two devices that move a folder to different zones one wins, on both the same")
    func two() async throws {
        let (a, b) = try pair()
        let folder = try await a.addFolder("F", notes: ["x", "y"])
        try await a.sync.zones.create(named: "Club")
        try await a.sync.zones.create(named: "Team")
        try await s.settle()
        try await a.sync.zones.move([folder], to: "Club")
        try await b.sync.zones.move([folder], to: "Team")
        try await a.set(try await a.note("x"), ["body": "from a"])
        try await b.set(try await b.note("y"), ["body": "from b"])
        try await s.sync(a, b)
        try await s.settleMoves()
        #expect(try await a.places() == ["x in 'Club'", "y in 'Club'"])
        #expect(try await b.values("body", of: "Note").sorted() == ["from a", "from b"])
    }

    @Test("a deletion of the folder elsewhere while it moves is a conflict like any other", arguments: [true, false])
    func deletedMeanwhile(clientWins: Bool) async throws {
        let (a, b) = try s.pair(policy: clientWins ? .clientWins : .serverWins, model: .withParents)
        let folder = try await a.addFolder("F", notes: ["x"])
        try await s.settle()
        try await b.delete(try await b.note("x"))
        try await a.sync.zones.create(named: "Club")
        try await a.sync.zones.move([folder], to: "Club")
        try await s.sync(a)
        let summary = try await b.sync.sync()
        #expect(summary.conflicts.map(\.kind) == [.deletedHereEditedThere])
        try await s.settleMoves()
        #expect(try await a.places() == (clientWins ? [] : ["x in 'Club'"]))
    }

    @Test(
        "a change that comes along is sent by the sync that reads of the move, wherever it reads first",
        arguments: ["edit", "deletion"])
    func sentAtOnce(_ change: String) async throws {
        let (a, b) = try s.pair(policy: .clientWins, model: .withParents)
        for zone in ["Club", "Team"] { try await a.sync.zones.create(named: zone) }
        let folder = try await a.addFolder("F", inZone: "Team", notes: ["x"])
        try await s.settle()
        try await a.sync.zones.move([folder], to: "Club")
        try await s.sync(a)
        let note = try await b.note("x")
        if change == "edit" { try await b.set(note, ["body": "from b"]) } else { try await b.delete(note) }
        try await b.sync.sync()
        #expect(try await b.sync.status.pendingCount == 0)
        try await a.sync.sync()
        #expect(try await a.values("body", of: "Note") == (change == "edit" ? ["from b"] : []))
        try await s.settleMoves()
    }

    @Test("objects move there and back, and to a third zone, however fast")
    func back() async throws {
        let (a, b) = try pair()
        let folder = try await a.addFolder("F", notes: ["x"])
        for zone in ["Club", "Team"] { try await a.sync.zones.create(named: zone) }
        try await s.settle()
        for zone in ["Club", "", "Team", "Club", ""] {
            try await a.sync.zones.move([folder], to: zone)
            try await s.sync(a)
        }
        try await s.settleMoves()
        #expect(try await b.places() == ["x in ''"])
        try await a.sync.zones.move([folder], to: "Club")
        try await a.sync.zones.move([folder], to: "Team")
        try await s.settleMoves()
        #expect(try await b.places() == ["x in 'Team'"])
        // The other device has not heard of the first move when it makes the second.
        try await a.sync.zones.move([folder], to: "Club")
        try await s.sync(a)
        try await b.sync.zones.move([folder], to: "")
        try await s.settleMoves()
    }

    @Test(
        "a cut connection at any request leaves nothing half moved, also on the way back", arguments: ["Club", ""],
        [true, false])
    func cuts(_ zone: String, losesAnswer: Bool) async throws {
        for cut in 0..<14 {
            try await Scenario.run { s in
                let (a, b) = try s.pair(model: .withParents)
                let folder = try await a.addFolder("F", notes: ["x", "y"])
                try await a.sync.zones.create(named: "Club")
                if zone.isEmpty {
                    try await s.settle()
                    try await a.sync.zones.move([folder], to: "Club")
                }
                try await s.settle()
                try await b.set(try await b.note("x"), ["body": "from b"])
                try await a.sync.zones.move([folder], to: zone)
                await s.faults.breakDown(from: cut, losesAnswer: losesAnswer)
                _ = try? await a.sync.sync()
                await s.faults.clear()
                try await s.sync(b)
                try await a.set(try await a.note("y"), ["body": "from a"])
                try await s.settleMoves()
                #expect(try await b.places() == ["x in '\(zone)'", "y in '\(zone)'"], "cut at \(cut)")
                #expect(try await a.values("body") == ["from a", "from b"], "cut at \(cut)")
            }
        }
    }

    @Test(
        "a new object moves whose first push had no answer, wherever the next one breaks off",
        arguments: [true, false], [true, false])
    func newWithoutAnswer(hasArrived: Bool, losesAnswer: Bool) async throws {
        for cut in 0..<8 {
            try await Scenario.run { s in
                let (a, b) = try s.pair(model: .withParents)
                try await a.sync.zones.create(named: "Club")
                try await s.settle()
                let folder = try await a.addFolder("F", notes: ["x"])
                await s.faults.breakDown(from: 0, endpoint: "records/modify", losesAnswer: hasArrived)
                _ = try? await a.sync.sync()
                try await a.sync.zones.move([folder], to: "Club")
                await s.faults.breakDown(from: cut, losesAnswer: losesAnswer)
                _ = try? await a.sync.sync()
                await s.faults.clear()
                try await s.sync(b)
                try await s.settleMoves()
                #expect(try await b.places() == ["x in 'Club'"], "cut at \(cut)")
                #expect(try await b.sync.zones.zone(of: folder).name == "Club", "cut at \(cut)")
            }
        }
    }

    @Test(
        "an object that came to a zone moves on, wherever the first push there and the next one break off",
        arguments: [true, false], [true, false])
    func arrivedWithoutAnswer(hasArrived: Bool, losesAnswer: Bool) async throws {
        for cut in 0..<8 {
            try await Scenario.run { s in
                let (a, b) = try s.pair(model: .withParents)
                for zone in ["Club", "Team"] { try await a.sync.zones.create(named: zone) }
                let folder = try await a.addFolder("F", notes: ["x"])
                try await s.settle()
                try await a.sync.zones.move([folder], to: "Club")
                await s.faults.breakDown(from: 0, endpoint: "records/modify", losesAnswer: hasArrived)
                _ = try? await a.sync.sync()
                try await a.sync.zones.move([folder], to: "Team")
                await s.faults.breakDown(from: cut, losesAnswer: losesAnswer)
                _ = try? await a.sync.sync()
                await s.faults.clear()
                try await s.sync(b)
                try await s.settleMoves()
                let (places, zone) = (try await b.places(), try await b.sync.zones.zone(of: folder).name)
                #expect(places == ["x in 'Team'"] && zone == "Team", "cut at \(cut): \(places), \(zone)")
            }
        }
    }

    @Test(
        "an object goes to another zone, back, and there again, wherever each of the syncs breaks off",
        arguments: [true, false])
    func thereAndBack(losesAnswer: Bool) async throws {
        for first in 1..<5 {
            for second in 0..<8 {
                try await Scenario.run { s in
                    let (a, b) = try s.pair(model: .withParents)
                    try await a.sync.zones.create(named: "Club")
                    let folder = try await a.addFolder("F", notes: ["x"])
                    try await s.settle()
                    for (zone, cut) in [("Club", first), ("", second), ("Club", nil)] {
                        try await a.sync.zones.move([folder], to: zone)
                        if let cut { await s.faults.breakDown(from: cut, losesAnswer: losesAnswer) }
                        _ = try? await a.sync.sync()
                        await s.faults.clear()
                    }
                    try await s.settleMoves()
                    let places = try await b.places()
                    #expect(places.count == 1 && places[0].hasPrefix("x in"), "cuts at \(first), \(second): \(places)")
                }
            }
        }
    }

    @Test("a deletion reaches other devices with one sync, in the main zone and in others")
    func deletions() async throws {
        let (a, b) = try pair()
        try await a.sync.zones.create(named: "Club")
        _ = try await a.addFolder("F", notes: ["x"])
        _ = try await a.addFolder("G", inZone: "Club", notes: ["y"])
        try await s.settle()
        try await a.delete(try await a.note("x"), try await a.note("y"))
        try await s.sync(a)
        let summary = try await b.sync.sync()
        #expect(summary.deleted.count == 2)
        #expect(try await b.places() == [])
        try await s.settleMoves()
    }

    @Test("an object moves with the bytes of its asset, also where they are on the server only")
    func assets() async throws {
        let (a, b) = try pair([.excludedUnchangingAsyncAssetKeys: ["photo"]])
        let folder = try await a.addFolder("F", notes: ["x"])
        let note = try await a.note("x")
        try await a.set(note, ["photo": .data(Data(repeating: 7, count: 5_000))])
        try await s.settle()
        try await b.sync.zones.create(named: "Club")
        try await b.sync.zones.move([folder], to: "Club")
        try await s.sync(b, a)
        let c = try s.device(model: .withParents)
        try await s.settleMoves()
        #expect(try await c.places() == ["x in 'Club'"])
        let photo = try await c.sync.assets.download("photo", of: note)
        #expect(try photo.data() == Data(repeating: 7, count: 5_000))
    }
}
