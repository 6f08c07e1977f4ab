import Backstitch
import BackstitchSync
import TestSupport
import Testing

@Suite("zones over HTTP")
struct ZoneHTTPTests {
    @Test("zones are made, filled, edited from both sides and deleted through a real server")
    func everything() async throws {
        try await SyncWorld.run { world in
            let a = try world.device(model: .withParents), b = try world.device(model: .withParents)
            try await a.sync.zones.create(named: "Club")
            _ = try await a.addFolder("F", inZone: "Club", notes: ["n", "gone"])
            _ = try await a.addNote("main")
            _ = try await converge(a, b)
            #expect(try await b.places() == ["gone in 'Club'", "main in ''", "n in 'Club'"])
            let (note, gone) = (try await b.note("n"), try await b.note("gone"))
            try await a.change(note) { note, _ in note.title = "from a" }
            try await b.change(note) { note, _ in note.body = "from b" }
            try await b.delete(gone)
            let dumps = try await converge(a, b)
            #expect(dumps[0] == dumps[1])
            #expect(try await a.places() == ["from a in 'Club'", "main in ''"])
            #expect(try await a.values("body").contains("from b"))
            try await b.sync.zones.delete(named: "Club")
            _ = try await converge(a, b)
            #expect(try await a.places() == ["main in ''"])
            #expect(try await a.sync.zones.all().map(\.name) == [""])
        }
    }
}
