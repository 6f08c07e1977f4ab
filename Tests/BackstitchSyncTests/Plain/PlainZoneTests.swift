import Backstitch
import BackstitchSimulator
import BackstitchSync
import Testing

@Suite("zones on a server that does not name their lives")
struct PlainZoneTests {
    /// Two devices with the notes "x" and "y" in the zone "Club".
    private func pair(in world: PlainWorld) async throws -> (SyncDevice, SyncDevice, x: ObjectID, y: ObjectID) {
        let (a, b) = (try world.device(), try world.device())
        try await a.sync.zones.create(named: "Club")
        var ids: [ObjectID] = []
        for title in ["x", "y"] {
            ids.append(try await a.addNote(title) { note, context in try context.assign(note, toZone: "Club") })
        }
        _ = try await converge(a, b)
        return (a, b, ids[0], ids[1])
    }

    @Test("a deletion that goes with a zone which is taken for another one is told, and its object comes back")
    func unsentDeletion() async throws {
        var behavior = PlainBehavior()
        behavior.tellsOldDeletions = false
        try await PlainWorld.run(behavior) { world in
            let (a, b, x, y) = try await pair(in: world)
            try await a.delete(y)
            try await a.sync.sync()
            try await b.delete(x)
            // It may be another zone, as b sees by the missing record. So nothing is deleted there.
            world.server.expireTokens()
            let conflicts = try await b.sync.sync().conflicts
            #expect(conflicts.map(\.objectID) == [x])
            #expect(conflicts.map(\.kind) == [.deletedHereEditedThere])
            #expect(conflicts.map(\.winner) == [.server])
            #expect(try await b.titles() == ["x"])
        }
    }

    @Test("a deletion that goes with a zone of which the server says that it is gone is no conflict")
    func deletedZone() async throws {
        try await PlainWorld.run { world in
            let (a, b, x, _) = try await pair(in: world)
            try await b.delete(x)
            try await a.sync.zones.delete(named: "Club")
            #expect(try await b.sync.sync().conflicts.isEmpty)
            #expect(try await b.titles().isEmpty)
        }
    }
}
