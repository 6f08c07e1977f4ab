import Backstitch
import BackstitchServer
import BackstitchSync
import Foundation
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("objects that one device deletes, and another one moves to another zone", .scenario)
struct DeletionAndMoveTests: ScenarioSuite {
    /// Two devices, and a note. The first one is to move the note to a zone that the server does not have yet. The
    /// second one deletes the note, after a minute.
    private func wanted(_ policy: ConflictResolutionPolicy) async throws -> (SyncDevice, SyncDevice, ObjectID) {
        let (a, b) = try s.pair(policy: policy, model: .withParents)
        let note = try await a.add(["title": "x"])
        try await s.settle()
        try await a.sync.zones.create(named: "Club")
        try await a.sync.zones.move([note], to: "Club")
        try await s.faults.breakDown(from: 0, endpoint: "zones/modify", losesAnswer: false)
        _ = try? await a.sync.sync()
        try await s.faults.clear()
        try await b.sync.sync()
        try s.clock.advance(by: 61_000)
        try await b.delete(note)
        return (a, b, note)
    }

    /// Does something before the server gets the next request of a kind.
    private func before(_ endpoint: String, _ work: @escaping @Sendable () async throws -> Void) async throws {
        let faults = try s.faults
        await faults.set { request in
            guard request.endpoint == endpoint else { return nil }
            await faults.set(nil)
            do { try await work() } catch { Issue.record(error) }
            return nil
        }
    }

    /// Sends the deletion of the second device. Just before, the first one tries to send its move, and fails.
    private func sendDeletion(of b: SyncDevice, whileMovedBy a: SyncDevice) async throws {
        let faults = try s.faults
        try await before("records/modify") { () async throws -> Void in
            await faults.breakDown(from: 0, endpoint: "records/modify", losesAnswer: false)
            _ = try? await a.sync.sync()
            await faults.clear()
        }
        try await b.sync.sync()
    }

    @Test(
        "a deletion that the server hears of before the move stays, whether the move is sent or not",
        arguments: [true, false])
    func deleted(isSent: Bool) async throws {
        let (a, b, note) = try await wanted(.clientWins)
        if isSent {
            // It has read the zone which the note leaves.
            try await before("zones/modify") { try await b.sync.sync() }
        } else {
            try await sendDeletion(of: b, whileMovedBy: a)
        }
        let summary = try await a.sync.sync()
        #expect(summary.deleted == [note])
        try await s.settleMoves()
        for device in [a, b] { #expect(try await device.titles() == []) }
    }

    @Test(
        "unsent edits are a conflict with the deletion, which the policy decides and the summary tells",
        arguments: [ConflictResolutionPolicy.clientWins, .serverWins])
    func edited(_ policy: ConflictResolutionPolicy) async throws {
        let (a, b, note) = try await wanted(policy)
        try await sendDeletion(of: b, whileMovedBy: a)
        try await a.set(note, ["title": "X"])
        let conflict = try #require(try await a.sync.sync().conflicts.first)
        #expect(conflict.objectID == note && conflict.kind == .editedHereDeletedThere && conflict.keys == ["title"])
        #expect(conflict.winner == (policy == .clientWins ? .client : .server))
        try await s.settleMoves()
        for device in [a, b] {
            let places = try await device.places()
            #expect(places == (policy == .clientWins ? ["X in 'Club'"] : []))
        }
    }

    @Test("the end of a record whose object has moved back is no deletion, though the mover had no answer")
    func movedBack() async throws {
        let (a, b) = try s.pair(model: .withParents)
        let note = try await a.add(["title": "x"])
        try await a.sync.zones.create(named: "Club")
        try await s.settle()
        try await a.sync.zones.move([note], to: "Club")
        try await a.sync.sync()
        try await b.sync.sync()
        try await s.begin(moveOf: note, by: b, toZoneNamed: "", losesAnswer: true)
        for device in [a, b] {
            #expect(try await device.sync.sync().deleted.isEmpty)
            #expect(try await device.places() == ["x in ''"])
        }
        try await s.settleMoves()
    }

    @Test(
        "a change goes along with an object that is moved away and back, though the mover had no answer",
        arguments: ["edit", "deletion"],
        ["the mover has not heard", "the mover has heard", "the mover has deleted the other zone"])
    func changedDuringMoveBack(_ change: String, then: String) async throws {
        let isEdit = change == "edit"
        let (a, b) = try s.pair(policy: isEdit ? .serverWins : .clientWins, model: .withParents)
        let note = try await a.add(["title": "x"])
        try await a.sync.zones.create(named: "Club")
        try await s.settle()
        // The other device hears nothing of the move yet.
        try await a.sync.zones.move([note], to: "Club")
        try await a.sync.sync()
        try await s.begin(moveOf: note, by: a, toZoneNamed: "", losesAnswer: true)
        if isEdit { try await b.set(note, ["body": "of b"]) } else { try await b.delete(note) }
        if then != "the mover has not heard" {
            try await before("changes/database") {
                try await a.sync.sync()
                if then != "the mover has heard" { try await a.sync.zones.delete(named: "Club") }
            }
        }
        #expect(try await b.sync.sync().conflicts.allSatisfy { $0.winner == .client })
        try await s.settleMoves()
        for device in [a, b] {
            #expect(try await device.places() == (isEdit ? ["x in ''"] : []))
            #expect(try await device.values("body") == (isEdit ? ["of b"] : []))
        }
    }

    @Test("a deletion whose answer was lost is no deletion of a record that was gone before")
    func deletionUnanswered() async throws {
        let (a, b) = try s.pair(model: .withParents)
        try await a.sync.zones.create(named: "Club")
        let folder = try await a.addFolder("F", inZone: "Club", notes: ["x"])
        try await s.settle()
        try await a.delete(folder)
        try await s.faults.breakDown(at: "records/modify")
        _ = try? await a.sync.sync()
        try await s.faults.clear()
        #expect(try await b.sync.sync().deleted.contains(folder))
        try await s.settleMoves()
        for device in [a, b] {
            #expect(try await device.places() == [])
            #expect(try device.store.backing.readJournal { try $0.subjects(of: .deletedBefore) }.isEmpty)
        }
    }

    @Test(
        "a folder that another device deletes before it moves is moved all the same, if its edit wins",
        arguments: [false, true])
    func deletedBeforeMove(readsAll: Bool) async throws {
        let (a, b) = try s.pair(policy: .clientWins, model: .withParents)
        try await a.sync.zones.create(named: "Club")
        let folder = try await a.addFolder("F", inZone: "Club")
        try await s.settle()
        try await b.delete(folder)
        try await b.sync.sync()
        try await a.edit { context in
            let folder = try #require(try context.existingObject(with: folder) as? TestFolder)
            try folder.setValue(.string("edited"), forKey: "name")
            let note = TestNote(context: context)
            note.title = "x"
            note.folder = folder
        }
        try await a.sync.zones.move([folder], to: "")
        let summary = try await readsAll ? a.sync.syncFromScratch() : a.sync.sync()
        #expect(summary.conflicts.map(\.winner) == [.client])
        try await s.settleMoves()
        for device in [a, b] {
            #expect(try await device.sync.zones.zone(of: folder).name == "")
            #expect(try await device.places() == ["x in ''"])
        }
    }
}
