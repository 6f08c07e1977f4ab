import Backstitch
import BackstitchServer
import BackstitchSupport
import BackstitchSync
import Foundation
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("moves whose end a device learns late", .scenario)
struct LateMoveTests: ScenarioSuite {
    private func pair(_ policy: ConflictResolutionPolicy) async throws -> (SyncDevice, SyncDevice, ObjectID) {
        let (a, b) = try s.pair(policy: policy, model: .withParents)
        try await a.sync.zones.create(named: "Club")
        let note = try await a.add(["title": "x"])
        try await s.settle()
        return (a, b, note)
    }

    /// Has a device move a note to the other zone. The server does, and the device does not hear of it.
    private func begin(_ note: ObjectID, by a: SyncDevice, toZoneNamed zone: String = "Club") async throws {
        try await s.begin(moveOf: note, by: a, toZoneNamed: zone, losesAnswer: true)
    }

    /// Brings the note to the other zone, and deletes it there.
    private func bringAndDelete(_ note: ObjectID, by b: SyncDevice, inZoneNamed zone: String = "Club") async throws {
        try await bring(note, by: b, inZoneNamed: zone)
        try await b.delete(note)
        try await b.sync.sync()
    }

    /// Brings the note to the other zone.
    private func bring(_ note: ObjectID, by b: SyncDevice, inZoneNamed zone: String = "Club") async throws {
        try await b.sync.sync()
        #expect(try await b.sync.zones.zone(of: note).name == zone)
    }

    @Test(
        "a deletion stands of what another device has brought to its zone in the mover's place",
        arguments: ["Club", ""])
    func deletedAfterwards(zone: String) async throws {
        let (a, b, note) = try await pair(.clientWins)
        if zone.isEmpty {
            try await a.sync.zones.move([note], to: "Club")
            try await s.settleMoves()
        }
        try await begin(note, by: a, toZoneNamed: zone)
        try await bringAndDelete(note, by: b, inZoneNamed: zone)
        let summary = try await a.sync.sync()
        #expect(summary.deleted == [note] && summary.conflicts.isEmpty)
        try await s.settleMoves()
        for device in [a, b] { #expect(try await device.titles() == []) }
    }

    @Test(
        "the mover's unsent edits are a conflict with that deletion, which the policy decides",
        arguments: [ConflictResolutionPolicy.clientWins, .serverWins])
    func editedByMover(_ policy: ConflictResolutionPolicy) async throws {
        let (a, b, note) = try await pair(policy)
        try await begin(note, by: a)
        try await bringAndDelete(note, by: b)
        try await a.set(note, ["title": "X"])
        let conflict = try #require(try await a.sync.sync().conflicts.first)
        #expect(conflict.kind == .editedHereDeletedThere && conflict.keys == ["title"])
        #expect(try await a.sync.status.pendingCount == 0)
        try await s.settleMoves()
        for device in [a, b] {
            #expect(try await device.places() == (policy == .clientWins ? ["X in 'Club'"] : []))
        }
    }

    @Test(
        "the last call decides where a note goes that an edit keeps, after another device has deleted it",
        arguments: ["Team", "", "Club"])
    func movedOnAndKept(zone: String) async throws {
        let (a, b, note) = try await pair(.clientWins)
        try await a.sync.zones.create(named: "Team")
        try await a.sync.sync()
        try await begin(note, by: a)
        try await bringAndDelete(note, by: b)
        try await a.sync.zones.move([note], to: zone)
        try await a.set(note, ["title": "X"])
        #expect(try await a.sync.sync().conflicts.map(\.kind) == [.editedHereDeletedThere])
        try await s.settleMoves()
        for device in [a, b] { #expect(try await device.places() == ["X in '\(zone)'"]) }
    }

    @Test("a note that another device has brought, and nobody has deleted, stays")
    func kept() async throws {
        let (a, b, note) = try await pair(.serverWins)
        try await begin(note, by: a)
        try await bring(note, by: b)
        try await b.set(note, ["title": "B's"])
        try await b.sync.sync()
        #expect(try await a.sync.sync().deleted.isEmpty)
        try await s.settleMoves()
        for device in [a, b] { #expect(try await device.places() == ["B's in 'Club'"]) }
    }

    @Test("an object that another device has brought back, edited and moved on goes on, with that edit")
    func movedOn() async throws {
        let (a, b, note) = try await pair(.serverWins)
        try await a.sync.zones.create(named: "Team")
        try await a.sync.zones.move([note], to: "Club")
        try await s.settleMoves()
        try await begin(note, by: a, toZoneNamed: "")
        try await bring(note, by: b, inZoneNamed: "")
        try await b.set(note, ["title": "B's"])
        try await b.sync.sync()
        try await begin(note, by: b, toZoneNamed: "Team")
        #expect(try await a.sync.sync().conflicts.isEmpty)
        try await s.settleMoves()
        for device in [a, b] { #expect(try await device.places() == ["B's in 'Team'"]) }
    }

    @Test(
        "an object that another device has brought, and then moved on for good, is where that one has it",
        arguments: [true, false], ["before", "after"])
    func movedOnForGood(isRead: Bool, _ order: String) async throws {
        let (a, b) = try s.pair(policy: .serverWins, model: .withParents)
        for zone in order == "before" ? ["Team", "Club"] : ["Club", "Team"] {
            try await a.sync.zones.create(named: zone)
        }
        let note = try await a.add(["title": "x"])
        try await s.settle()
        try await begin(note, by: a)
        try await bring(note, by: b)
        if isRead { try await a.sync.sync() }
        try await b.set(note, ["title": "B's"])
        try await b.sync.zones.move([note], to: "Team")
        try await b.sync.sync()
        for _ in 0..<2 {
            let summary = try await a.sync.sync()
            #expect(summary.deleted.isEmpty && summary.conflicts.isEmpty)
        }
        try await s.settleMoves()
        for device in [a, b] { #expect(try await device.places() == ["B's in 'Team'"]) }
    }

    @Test("an object stays whose record in the new zone cannot be read yet, with its unsent edits")
    func unreadable() async throws {
        let model = ManagedObjectModel([
            EntityDescription("Note", [.attribute("title", .string).encrypted(), .attribute("body", .string)])
        ])
        let keys = try TestKeys("k1"), others = try TestKeys("k1")
        let a = try s.device(policy: .serverWins, model: model, [.syncEncryptionKeys: keys])
        let b = try s.device(policy: .serverWins, model: model, [.syncEncryptionKeys: others])
        try await a.sync.zones.create(named: "Club")
        let note = try await a.add(["title": "x"])
        try await s.sync(a, b)
        try keys.rotate(to: "k2", replacing: "k1")
        try await a.sync.zones.move([note], to: "Club")
        try await a.sync.sync()
        try await b.set(note, ["body": "B's"])
        for _ in 0..<2 {
            let summary = try await b.sync.sync()
            #expect(summary.deleted.isEmpty && summary.conflicts.isEmpty)
            #expect(try await b.values("title") == ["x"])
        }
        try others.add("k2")
        try await b.sync.sync()
        try await s.sync(a, b, a)
        for device in [a, b] {
            #expect(try await device.values("body") == ["B's"])
            #expect(try await device.sync.zones.zone(of: note).name == "Club")
            #expect(try device.store.backing.readJournal { try MoveNotes($0).objects }.isEmpty)
        }
    }

    @Test("an object has not arrived as long as another one here has its unique values")
    func rival() async throws {
        let model = ManagedObjectModel([
            EntityDescription("Note", unique: [["title"]], [.attribute("title", .string), .attribute("body", .string)])
        ])
        let (a, b) = try s.pair(model: model)
        try await a.sync.zones.create(named: "Club")
        let note = try await a.add(["title": "u"])
        try await s.settle()
        let rival = try await b.add(["title": "v"])
        try await a.set(note, ["title": "v"])
        try await a.sync.sync()
        try await a.sync.zones.move([note], to: "Club")
        try await a.sync.sync()
        #expect(try await b.sync.sync().deleted.isEmpty)
        try await a.set(note, ["body": "A's"])
        try await a.sync.sync()
        for device in [b, a, b] { #expect(try await device.sync.sync().deleted.isEmpty) }
        try await b.set(rival, ["title": "w"])
        try await b.sync.sync()
        // A record that waits for a rival is looked at again with its next version.
        try await a.set(note, ["body": "A's too"])
        for device in [a, b, a, b] { try await device.sync.sync() }
        for device in [a, b] {
            #expect(try await device.values("title").sorted() == ["v", "w"])
            #expect(try await device.values("body").contains("A's too"))
            #expect(try await device.sync.zones.zone(of: note).name == "Club")
            #expect(try device.store.backing.readJournal { try MoveNotes($0).objects }.isEmpty)
        }
    }

    @Test("an object that was read by itself, and has gone on, stays until its new zone was read")
    func pulled() async throws {
        let (a, b) = try s.pair(policy: .clientWins, model: .withParents)
        try await a.sync.zones.create(named: "Club")
        let folder = try await a.addFolder("F", notes: ["x"])
        try await s.settle()
        try await a.sync.zones.move([folder], to: "Club")
        try await a.sync.sync()
        _ = try await b.sync.pull([folder])
        let summary = try await b.sync.sync()
        #expect(summary.deleted.isEmpty && summary.conflicts.isEmpty)
        try await s.settleMoves()
        for device in [a, b] { #expect(try await device.places() == ["x in 'Club'"]) }
    }
}
