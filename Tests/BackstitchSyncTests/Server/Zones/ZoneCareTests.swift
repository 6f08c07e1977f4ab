import Backstitch
import BackstitchSync
import Foundation
import TestSupport
import Testing

@Suite("zones: objects that are blocked, or removed here only, stay in theirs", .scenario)
struct ZoneCareTests: ScenarioSuite {
    /// Two devices that have a note in the zone "Club", and one in the main zone.
    private func pair() async throws -> (SyncDevice, SyncDevice, note: ObjectID) {
        let (a, b) = try s.pair(model: .withParents)
        try await a.sync.zones.create(named: "Club")
        _ = try await a.addFolder("F", inZone: "Club", notes: ["n"])
        _ = try await a.addNote("main")
        try await s.settle()
        return (a, b, try await a.note("n"))
    }

    @Test("a change that the server refuses is blocked; made smaller and tried again, it arrives in its zone")
    func retried() async throws {
        let (a, b, note) = try await pair()
        try await a.change(note) { note, _ in note.body = String(repeating: "x", count: 1_200_000) }
        #expect(try await a.sync.sync().blocked.map(\.objectID) == [note])
        try await a.sync.blocked.retry()
        #expect(try await a.sync.sync().blocked.map(\.objectID) == [note])
        try await a.change(note) { note, _ in note.body = "small" }
        try await s.settle()
        #expect(try await b.values("body").contains("small"))
        #expect(try await b.places() == ["main in ''", "n in 'Club'"])
    }

    @Test("a change that is given up leaves the object as the server has it, in its zone; a new object goes")
    func discarded() async throws {
        let (a, b, note) = try await pair()
        let large = String(repeating: "x", count: 1_200_000)
        try await a.change(note) { note, _ in (note.title, note.body) = ("given up", large) }
        let folder = try await a.read { try #require(try $0.fetch(FetchRequest<TestFolder>()).first).objectID }
        let new = try await a.addNote("new") { note, context in
            note.body = large
            note.folder = try context.existingObject(with: folder) as? TestFolder
        }
        #expect(Set(try await a.sync.sync().blocked.map(\.objectID)) == [note, new])
        try await a.sync.blocked.discard([note, new])
        #expect(try await a.places() == ["main in ''", "n in 'Club'"])
        try await a.change(note) { note, _ in note.title = "later" }
        try await s.settle()
        #expect(try await b.places() == ["later in 'Club'", "main in ''"])
    }

    @Test("an object of a zone that is removed here only stays on the server, and comes back into its zone")
    func removedHere() async throws {
        let (a, b, note) = try await pair()
        try await a.sync.objects.removeLocally([note])
        try await b.change(note) { note, _ in note.body = "changed" }
        try await s.sync(b, a)
        try await a.sync.syncFromScratch()
        #expect(try await a.places() == ["main in ''"])
        #expect(try await b.places() == ["main in ''", "n in 'Club'"])
        try await a.sync.objects.restore([note])
        #expect(try await a.dump() == b.dump())
        #expect(try await a.places() == b.places())
        try await a.change(note) { note, _ in note.title = "edited" }
        try await s.settle()
        #expect(try await b.places() == ["edited in 'Club'", "main in ''"])
        try await s.expectNothingUnsent()
    }

    @Test("a zone that goes while an object of it is removed here only leaves nothing behind")
    func removedHereThenDeleted() async throws {
        let (a, b, note) = try await pair()
        try await a.sync.objects.removeLocally([note])
        try await b.sync.zones.delete(named: "Club")
        try await a.sync.sync()
        #expect(try await a.places() == ["main in ''"])
        try await a.sync.objects.restore([note])
        try await s.settle()
        #expect(try await a.places() == ["main in ''"])
        #expect(try await a.dump() == b.dump())
    }
}
