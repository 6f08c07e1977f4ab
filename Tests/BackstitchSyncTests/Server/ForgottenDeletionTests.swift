import Backstitch
import BackstitchServer
import BackstitchSimulator
import BackstitchSync
import TestSupport
import Testing

@Suite("deletions that the server has forgotten")
struct ForgottenDeletionTests {
    @Test(
        "a device that was away for longer finds what is gone, keeps what it has not sent, and brings nothing else back"
    )
    func away() async throws {
        try await Scenario.run(configure: { $0.tombstoneRetention = 3_600 }) { s in
            let a = try s.device(), b = try s.device("b"), c = try s.device()
            var ids: [ObjectID] = []
            for number in 0..<8 { ids.append(try await a.addNote("note \(number)")) }
            try await s.settle()
            // B is away. It edits one that will be deleted and one that stays, and makes one.
            try await b.change(ids[0]) { note, _ in note.body = "unsent" }
            try await b.change(ids[7]) { note, _ in note.body = "unsent" }
            _ = try await b.addNote("new")
            try await a.delete(ids[0], ids[1], ids[2], ids[3], ids[4])
            try await s.sync(a, c)
            s.clock.advance(by: 3_601 * 1_000)
            try await s.server.cleanUp()
            await s.faults.clear()
            // C has heard of it all: its token holds.
            try await c.sync.sync()
            #expect(await s.faults.requests == ["changes/zone", "changes/database"])
            let summary = try await b.sync.sync()
            #expect(Set(summary.deleted) == Set(ids[1...4]))
            try await s.settle()
            #expect(try await a.titles() == ["new", "note 0", "note 5", "note 6", "note 7"])
            #expect(try await b.sync.status.pendingCount == 0)
        }
    }

    @Test("a deletion that was never sent falls on a record whose deletion is forgotten", arguments: [true, false])
    func bothDeleted(isMadeAgain: Bool) async throws {
        try await Scenario.run(configure: { $0.tombstoneRetention = 3_600 }) { s in
            let (a, b) = try s.pair()
            let id = try await a.addNote("note")
            try await s.settle()
            try await b.delete(id)
            try await a.delete(id)
            try await a.sync.sync()
            s.clock.advance(by: 3_601 * 1_000)
            try await s.server.cleanUp()
            if isMadeAgain {
                try await a.edit { context in try context.insertObject(with: id).setValue("again", forKey: "title") }
                try await a.sync.sync()
            }
            try await s.settle()
            // The object that was made again is another life of it. B has neither seen nor deleted that.
            #expect(try await b.titles() == (isMadeAgain ? ["again"] : []))
        }
    }
}
