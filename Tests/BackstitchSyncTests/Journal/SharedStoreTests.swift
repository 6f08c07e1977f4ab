import Backstitch
import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchSync

/// Two processes that both sync one store, since none of them knows better.
@Suite("a page or an answer that was asked for before another process moved the store")
struct SharedStoreTests {
    /// The store has `title` "old" at the tag "t1", and both processes know that.
    private func pair() throws -> (JournalBench, JournalBench) {
        let first = try JournalBench(.clientWins)
        let late = JournalBench(sharing: first)
        try first.apply([record(1, "t1", ["title": .string("old")])])
        try late.begin()
        return (first, late)
    }

    /// One process hears of a conflict with the old record. It handles the conflict only after the other one has pushed
    /// a newer value and read its echo.
    private func staleConflict(_ first: JournalBench, _ late: JournalBench) throws {
        try first.update(1, ["rank": 5])
        let slow = try #require(try late.prepare().batch)
        try first.update(1, ["title": "new"])
        try first.begin()
        let batch = try #require(try first.prepare().batch)
        try first.settle(batch, .done(changeTag: "t2"))
        try first.apply([record(1, "t2", ["title": .string("new"), "rank": .int64(5)])])
        #expect(try first.counts().waiting == 0)
        try late.settle(slow, .conflict(record(1, "t1", ["title": .string("old")])))
    }

    @Test("an answer: the old record does not take the newer one's place")
    func answer() throws {
        let (first, late) = try pair()
        #expect(throws: SyncFailure.self) { try staleConflict(first, late) }
        #expect(try first.value(1, "title") == "new")
        #expect(try first.state(1)?.changeTag == "t2")
    }

    @Test("a page: the old record does not come back between a push and its echo")
    func page() throws {
        let (first, late) = try pair()
        let page = try late.fetch([record(1, "t1b", ["title": .string("old")])])
        try first.update(1, ["title": "new"])
        try first.settle(try #require(try first.prepare().batch), .done(changeTag: "t2"))
        #expect(throws: SyncFailure.self) { try late.apply(page) }
        #expect(try first.value(1, "title") == "new")
        // Asked for again, it is applied as any other.
        try late.apply([record(1, "t2", ["title": .string("new")])])
        #expect(try first.state(1)?.changeTag == "t2")
    }

    @Test("nothing is chosen to be sent by who does not know how far the store is")
    func batch() throws {
        let (first, late) = try pair()
        try first.apply([record(2, "t3")])
        try first.update(1, ["title": "new"])
        #expect(throws: SyncFailure.self) { try late.prepare() }
        try late.begin()
        #expect(try late.prepare().batch?.items.count == 1)
    }

    @Test("an answer that is not taken is as good as lost: the push shows in the next pull as one's own")
    func lostAnswer() throws {
        let (first, late) = try pair()
        try first.insert(2, ["title": "made here"])
        try first.update(1, ["title": "new"])
        let batch = try #require(try late.prepare().batch)
        // The server takes it, and the other process reads that before the answer is written.
        let summary = try first.apply([
            record(1, "t2", ["title": .string("new")]), record(2, "t3", ["title": .string("made here")]),
        ])
        #expect(summary.conflicts.isEmpty)
        #expect(throws: SyncFailure.self) {
            try late.settle(batch, .done(changeTag: "t2"), .done(changeTag: "t3"))
        }
        #expect(try first.counts().waiting == 0)
        #expect(try first.state(1)?.changeTag == "t2" && first.state(2)?.changeTag == "t3")
    }

    @Test("a reset: what was under way is not taken, also of the process that has reset it")
    func reset() throws {
        let (first, _) = try pair()
        try first.update(1, ["title": "new"])
        let batch = try #require(try first.prepare().batch)
        let page = try first.fetch([record(3, "t9")])
        _ = try first.store.wipe(first.model, first.settings.generation)
        #expect(throws: SyncFailure.self) { try first.settle(batch, .done(changeTag: "t2")) }
        #expect(throws: SyncFailure.self) { try first.apply(page) }
        #expect(try first.state(1) == nil && first.values(3) == nil)
        try first.apply([record(1, "t2", ["title": .string("new")])])
        #expect(try first.value(1, "title") == "new")
    }

    @Test("who takes the lead when opening the store: what the one before still has under way is not taken")
    func takenLead() throws {
        let (first, late) = try pair()
        let place = FileManager.default.temporaryDirectory.appending(path: ObjectIDGenerator().next().uuidString)
        defer { for path in SyncLead.files(of: place) { try? FileManager.default.removeItem(atPath: path) } }
        func enter() throws -> SyncLead {
            let lead = try SyncLead(of: first.store, at: place, scope: "zone", holder: "", clock: SystemClock())
            #expect(try lead.enter(first.store, first.model).isLeader)
            return lead
        }
        let before = try enter()
        try late.begin()
        let page = try late.fetch([record(1, "t2", ["title": .string("late")])])
        before.release()
        let now = try enter()
        #expect(throws: SyncFailure.self) { try late.apply(page) }
        now.release()
    }

    @Test(
        "a full fetch that another process has gone on with begins again, and deletes nothing that it has not looked for"
    )
    func sweep() throws {
        let (first, late) = try pair()
        try late.apply([record(2, "t2")])
        try late.store.beginFullFetch(.missed, late.sweep, late.settings.generation)
        try late.apply([record(1, "t1", ["title": .string("old")])], more: true)
        // The other one begins it anew, and reaches its middle.
        try first.apply([record(1, "t1", ["title": .string("old")]), record(2, "t2")], more: true)
        #expect(try late.store.beginPull(late.sweep, late.settings.generation).token == nil)
        try late.apply([record(1, "t1", ["title": .string("old")]), record(2, "t2")])
        #expect(try late.values(1) != nil && late.values(2) != nil)
    }
}
