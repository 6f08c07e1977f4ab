import Backstitch
import BackstitchServer
import BackstitchSync
import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchSync

extension Scenario {
    /// Syncs until no device has news, expects all devices to be equal, and expects no half-finished move.
    func settleMoves(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await settle(rounds: 3, sourceLocation: sourceLocation)
        try await expectNothingUnsent(sourceLocation: sourceLocation)
        var places: [[String]] = []
        for device in devices {
            places.append(try await device.places())
            let moves = try device.store.backing.readJournal { try MoveNotes($0).objects }
            #expect(moves.isEmpty, "\(moves)", sourceLocation: sourceLocation)
        }
        for other in places.dropFirst() { #expect(other == places[0], sourceLocation: sourceLocation) }
    }

    /// Has a device begin to move an object with its descendants. The server hears nothing of it, or the device hears
    /// no answer.
    func begin(
        moveOf id: ObjectID, by device: SyncDevice, toZoneNamed zone: String, losesAnswer: Bool = false,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let place = try await device.sync.zones.zone(of: id)
        try await device.sync.zones.move([id], to: zone)
        await faults.breakDown(from: 0, endpoint: "records/modify", losesAnswer: losesAnswer)
        _ = try? await device.sync.sync()
        await faults.clear()
        #expect(try await device.sync.zones.zone(of: id) == place, sourceLocation: sourceLocation)
        #expect(try device.movesUnderWay() > 0, sourceLocation: sourceLocation)
    }
}

@Suite("moves to and from zones that are lost", .scenario)
struct MoveLossTests: ScenarioSuite {
    @Test("objects stay when the zone to which they were to move is deleted, also where their own was lost as well")
    func zoneGone() async throws {
        for loss in ["none", "before", "after", "deleted"] {
            try await Scenario.run { s in try await loseZone(s, loss) }
        }
    }

    /// - Parameter loss: Whether the old zone is lost too, and whether that is known before the deletion of the other
    ///   one, or an object is deleted in between.
    private func loseZone(_ s: Scenario, _ loss: String) async throws {
        let (a, b) = try s.pair(model: .withParents)
        let folder = try await a.addFolder("F", notes: ["x", "y"])
        try await a.sync.zones.create(named: "Club")
        try await s.settle()
        try await s.begin(moveOf: folder, by: a, toZoneNamed: "Club")
        if loss == "after" { try await b.sync.zones.delete(named: "Club") }
        if loss != "none" { try await s.zone().deleteZone() }
        if loss == "before" {
            await s.faults.breakDown(from: 0, endpoint: "records/modify", losesAnswer: false)
            _ = try? await a.sync.sync()
            await s.faults.clear()
        }
        if loss == "deleted" { try await a.delete(try await a.note("y")) }
        if loss != "after" { try await b.sync.zones.delete(named: "Club") }
        try await s.settleMoves()
        let places = loss == "deleted" ? ["x in ''"] : ["x in ''", "y in ''"]
        for device in [a, b] { #expect(try await device.places() == places, "\(loss)") }
    }

    @Test(
        "a deletion is weighed against the record with which another device has filled the main zone",
        arguments: ["clientWins", "serverWins"], [false, true])
    func deletedWhileFilled(_ policy: String, readsAgain: Bool) async throws {
        let a = try s.device(model: .withParents, [.syncConflictResolutionPolicy: policy])
        let b = try s.device(model: .withParents)
        let note = try await a.add(["title": "x"])
        try await a.sync.zones.create(named: "Club")
        try await s.settle()
        // An edit that meets a conflict has its zone read again before the main one.
        let other = try await a.add(["title": "y"])
        try await s.settle()
        try await a.sync.zones.move([note, other], to: "Club")
        try await a.sync.sync()
        try await a.delete(note)
        if readsAgain { try await a.set(other, ["body": "of a"]) }
        try await s.faults.interrupt(0, of: "records/modify") { [s] in
            try await s.zone().deleteZone()
            for _ in 0..<2 { try await b.sync.sync() }
            #expect(try await b.places() == ["x in ''", "y in ''"])
        }
        var conflicts = try await a.sync.sync().conflicts
        try await s.faults.clear()
        for _ in 0..<2 { conflicts += try await a.sync.sync().conflicts }
        #expect(conflicts.filter { $0.objectID == note }.map(\.kind) == [.deletedHereEditedThere])
        try await s.settleMoves()
        for device in [a, b] { #expect(try await device.titles() == (policy == "clientWins" ? ["y"] : ["x", "y"])) }
    }

    @Test(
        "a folder and its note stay together when the zone is lost that one of them has left at once",
        arguments: [false, true])
    func apart(isNoteNew: Bool) async throws {
        let (a, b) = try s.pair(model: .withParents)
        try await a.sync.zones.create(named: "Club")
        let folder = try await a.addFolder("F")
        let known = try await a.add(["title": "x"])
        try await s.settle()
        let parent = isNoteNew ? folder : try await a.addFolder("G")
        try await a.edit { context in
            let note = isNoteNew ? TestNote(context: context) : try context.existingObject(with: known) as? TestNote
            note?.title = "y"
            note?.folder = try context.existingObject(with: parent) as? TestFolder
        }
        let note = try await a.note("y")
        try await a.sync.zones.move([parent], to: "Club")
        try await s.zone().deleteZone()
        try await s.settleMoves()
        for device in [a, b] {
            #expect(try await device.sync.zones.zone(of: parent) == device.sync.zones.zone(of: note))
        }
    }

    @Test("an object whose lost zone another device has filled, and which that moves on, is as it is there")
    func movedSinceTheLoss() async throws {
        let (a, b) = try s.pair(policy: .clientWins, model: .withParents)
        let note = try await a.add(["title": "x"])
        try await a.sync.zones.create(named: "Club")
        try await s.settle()
        try await a.set(note, ["body": "of a"])
        try await s.zone().deleteZone()
        try await a.sync.sync()
        try await s.begin(moveOf: note, by: a, toZoneNamed: "Club")
        #expect(try await b.sync.sync().conflicts.isEmpty)
        try await s.settleMoves()
        for device in [a, b] {
            #expect(try await device.places() == ["x in 'Club'"])
            #expect(try await device.values("body", of: "Note") == ["of a"])
        }
    }

    @Test("objects move to the main zone when that was deleted and made anew, though nothing of it is to be kept")
    func mainZoneGone() async throws {
        let (a, b) = try s.pair(model: .withParents, [.syncResetPolicy: "wipe"])
        try await a.sync.zones.create(named: "Club")
        let folder = try await a.addFolder("F", inZone: "Club", notes: ["x"])
        try await s.settle()
        try await s.begin(moveOf: folder, by: a, toZoneNamed: "")
        try await s.zone().deleteZone()
        try await s.settleMoves()
        for device in [a, b] { #expect(try await device.places() == ["x in ''"]) }
    }

    @Test("an object that was to move to a lost zone, and was deleted, stays deleted")
    func deletedBeforeLoss() async throws {
        let (a, b) = try s.pair(model: .withParents)
        let folder = try await a.addFolder("F", notes: ["x", "y"])
        try await a.sync.zones.create(named: "Club")
        try await s.settle()
        try await s.begin(moveOf: folder, by: a, toZoneNamed: "Club")
        try await a.delete(try await a.note("y"))
        // The deletion arrives, and the move does not.
        try await s.faults.breakDown(from: 1, endpoint: "records/modify", losesAnswer: false)
        _ = try? await a.sync.sync()
        try await s.faults.clear()
        #expect(try a.movesUnderWay() > 0)
        try await b.sync.zones.delete(named: "Club")
        try await s.settleMoves()
        for device in [a, b] { #expect(try await !device.titles().contains("y")) }
    }

    private func block(_ ids: [ObjectID], of device: SyncDevice) throws {
        try device.store.backing.writeJournal(author: "test") { journal in
            let entries = try journal.outbox(for: ids.map(\.key))
            try journal.putOutbox(
                ids.map { id in
                    var entry =
                        entries[id.key] ?? OutboxEntry(objectID: id, kind: .update, sequence: 1, firstSequence: 1)
                    entry.blockedReason = "the server does not want it there"
                    return entry
                })
        }
    }

    @Test("a move that is given up with its blocked change does not begin again where it was the second one")
    func secondGivenUp() async throws {
        let (a, b) = try s.pair(model: .withParents)
        let folder = try await a.addFolder("F", notes: ["x"])
        for zone in ["Club", "Team"] { try await a.sync.zones.create(named: zone) }
        try await s.settle()
        for zone in ["Club", "Team"] { try await a.sync.zones.move([folder], to: zone) }
        let note = try await a.note("x")
        try block([folder, note], of: a)
        try await a.sync.blocked.discard([folder, note])
        try await s.settleMoves()
        for device in [a, b] { #expect(try await device.places() == ["x in ''"]) }
    }

    @Test("a move that is given up with its blocked change is taken back on the server too")
    func givenUp() async throws {
        let (a, b) = try s.pair(model: .withParents)
        let folder = try await a.addFolder("F", notes: ["x"])
        try await a.sync.zones.create(named: "Club")
        try await s.settle()
        try await s.begin(moveOf: folder, by: a, toZoneNamed: "Club")
        let note = try await a.note("x")
        try block([folder, note], of: a)
        try await a.sync.blocked.discard([folder, note])
        try await s.settleMoves()
        try s.clock.advance(by: 61_000)
        try await s.settleMoves()
        for device in [a, b] { #expect(try await device.places() == ["x in ''"]) }
        try await a.set(note, ["title": "X"])
        try await s.settleMoves()
        #expect(try await b.places() == ["X in ''"])
    }
}
