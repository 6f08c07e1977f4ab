import Backstitch
import BackstitchSync
import Foundation
import TestSupport
import Testing

@Suite("quarantine", .scenario)
struct QuarantineTests: ScenarioSuite {
    @Test("one change that cannot travel is listed, the others arrive; mended it goes")
    func blocked() async throws {
        let (a, b) = try s.pair()
        let bad = try await a.edit { context in
            for number in 0..<500 { TestNote(context: context).title = "note \(number)" }
            let bad = TestNote(context: context)
            bad.title = "bad"
            try bad.setValue(.double(.infinity), forKey: "ratio")
            return bad.objectID
        }
        let summary = try await a.sync.sync()
        #expect(summary.sent == 500)
        #expect(summary.blocked.map(\.objectID) == [bad])
        let listed = try await a.sync.blocked.changes()
        #expect(listed.map(\.objectID) == [bad])
        #expect(listed.first?.reason.contains("ratio") == true)
        #expect(try await a.sync.status.blockedCount == 1)
        try await b.sync.sync()
        #expect(try await b.titles().count == 500)
        try await a.change(bad) { note, _ in try note.setValue(1.5, forKey: "ratio") }
        try await s.settle(a, b)
        #expect(try await b.titles().count == 501)
        #expect(try await a.sync.blocked.changes().isEmpty)
    }

    @Test("of ten thousand changes of one save, one of which cannot travel, all others arrive")
    func tenThousand() async throws {
        let (a, b) = try s.pair()
        let bad = try await a.edit { context in
            var bad: ObjectID?
            for number in 0..<10_000 {
                let note = TestNote(context: context)
                note.title = "note \(number)"
                guard number == 4_321 else { continue }
                try note.setValue(.double(.nan), forKey: "ratio")
                bad = note.objectID
            }
            return bad
        }
        let summary = try await a.sync.sync()
        #expect(summary.sent == 9_999 && summary.blocked.map(\.objectID) == [bad])
        #expect(try await a.sync.blocked.changes().map(\.objectID) == [bad])
        try await b.sync.sync()
        #expect(try await b.read { try $0.count(for: FetchRequest<TestNote>()) } == 9_999)
        #expect(try await a.sync.status.pendingCount == 0)
    }

    @Test("a change that the server refuses is blocked, and can be tried again or given up")
    func refused() async throws {
        let (a, b) = try s.pair()
        let id = try await a.addNote("small")
        try await s.settle(a, b)
        let large = String(repeating: "x", count: 1_200_000)
        try await a.change(id) { note, _ in note.body = large }
        let new = try await a.addNote("new") { note, _ in note.body = large }
        _ = try await a.addNote("fits")
        let summary = try await a.sync.sync()
        #expect(Set(summary.blocked.map(\.objectID)) == [id, new])
        try await a.sync.blocked.retry()
        #expect(try await a.sync.sync().blocked.count == 2)
        try await a.sync.blocked.discard([id, new])
        #expect(try await a.sync.blocked.changes().isEmpty)
        #expect(try await a.titles() == ["fits", "small"])
        try await s.settle(a, b)
    }

    @Test("a discarded deletion brings the object back")
    func discardedDeletion() async throws {
        let a = try s.device()
        let id = try await a.addNote("here") { note, _ in note.body = "text" }
        try await a.sync.sync()
        try await a.delete(id)
        try a.store.block(id, "for the test")
        try await a.sync.blocked.discard([id])
        #expect(try await a.titles() == ["here"])
    }

    @Test("offline nothing is given up")
    func discardOffline() async throws {
        let a = try s.device()
        let id = try await a.addNote("bad") { note, _ in try note.setValue(.double(.infinity), forKey: "ratio") }
        try await a.sync.sync()
        try await s.network(.offline)
        await #expect(throws: BackstitchError.self) { try await a.sync.blocked.discard([id]) }
        #expect(try await a.sync.blocked.changes().map(\.objectID) == [id])
        #expect(try await a.titles() == ["bad"])
    }
}
