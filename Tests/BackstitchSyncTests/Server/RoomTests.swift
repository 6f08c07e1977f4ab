import Backstitch
import BackstitchServer
import BackstitchSync
import Foundation
import TestSupport
import Testing

@Suite("room on the server")
struct RoomTests {
    @Test("what has no room waits, the rest syncs, and deleting makes room")
    func waits() async throws {
        try await SyncWorld.run(configure: { $0.userQuotas.records = 3 }) { world in
            let a = try world.device(), b = try world.device()
            var ids: [ObjectID] = []
            for number in 0..<5 { ids.append(try await a.addNote("note \(number)")) }
            await #expect(throws: BackstitchError.self) { try await a.sync.sync() }
            let status = try await a.sync.status
            #expect(status.state == .needsRoom)
            #expect(status.lastError?.code == .quota)
            #expect(status.pendingCount == 2)
            #expect(status.blockedCount == 0)
            try await b.sync.sync()
            let sent = try await b.titles()
            #expect(sent.count == 3)
            // The changes of others arrive nevertheless.
            let first = try #require(ids.first { id in sent.contains("note \(ids.firstIndex(of: id) ?? -1)") })
            try await b.change(first) { note, _ in note.body = "from b" }
            try await b.sync.sync()
            await #expect(throws: BackstitchError.self) { try await a.sync.sync() }
            // Deletions go although what was saved before them can't.
            for id in ids where sent.contains("note \(ids.firstIndex(of: id) ?? -1)") {
                try await a.change(id) { note, context in context.delete(note) }
            }
            await #expect(throws: BackstitchError.self) { try await a.sync.sync() }
            try await a.sync.sync()
            #expect(try await a.sync.status.pendingCount == 0)
            #expect(try await a.sync.status.state == .idle)
            try await b.sync.sync()
            #expect(try await b.titles().count == 2)
            #expect(try await a.dump() == b.dump())
        }
    }

    @Test("assets that others send are downloaded while there is no room for what is to be sent")
    func assets() async throws {
        try await SyncWorld.run(configure: { $0.userQuotas.records = 3 }) { world in
            let a = try world.device(), b = try world.device()
            let id = try await a.addNote("first")
            try await a.sync.sync()
            _ = try await a.addNotes(3)
            await #expect(throws: BackstitchError.self) { try await a.sync.sync() }
            try await b.sync.sync()
            try await b.change(id) { note, _ in note.photo = Data(repeating: 7, count: 9_000) }
            try await b.sync.sync()
            await #expect(throws: BackstitchError.self) { try await a.sync.sync() }
            #expect(try await a.sync.status.state == .needsRoom)
            // The cycle has failed and does not wait for them.
            #expect(try await eventually { try await a.sync.assets.state("photo", of: id) == .local(size: 9_000) })
        }
    }

    @Test("a save that has no room goes as a whole when there is, not in parts before")
    func wholeSave() async throws {
        try await SyncWorld.run(configure: { $0.userQuotas.records = 3 }) { world in
            let a = try world.device(), b = try world.device()
            let id = try await a.addNote("first")
            _ = try await a.addNotes(3)
            await #expect(throws: BackstitchError.self) { try await a.sync.sync() }
            try await b.sync.sync()
            #expect(try await b.titles() == ["first"])
            try await b.change(id) { note, context in context.delete(note) }
            try await b.sync.sync()
            try await a.sync.sync()
            try await b.sync.sync()
            #expect(try await b.titles().count == 3)
        }
    }
}
