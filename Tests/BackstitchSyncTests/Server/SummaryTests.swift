import Backstitch
import BackstitchSupport
import BackstitchTestKit
import Foundation
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("what a sync tells")
struct SummaryTests: ScenarioSuite {
    @Test("a caller is told of all that happened since one was told last: conflicts and objects of cycles in between")
    func sinceLast() async throws {
        try await SyncWorld.run { world in
            let a = try world.device(), b = try world.device(automatic: true)
            let note = try await a.addNote("note"), later = try await b.addNote("later")
            _ = try await converge(a, b)
            try await a.change(note) { note, _ in note.title = "theirs" }
            let new = try await a.addNote("new")
            try await a.delete(later)
            let ends = Locked(0)
            let listening = Task { [events = b.sync.events] in
                for await case .finished(let summary) in events where summary.conflicts.count > 0 {
                    ends.withLock { $0 += 1 }
                }
            }
            defer { listening.cancel() }
            _ = try await b.sync.sync()
            b.sync.pause()
            try await b.change(note) { note, _ in note.title = "mine" }
            try await a.sync.sync()
            b.sync.resume()
            #expect(try await eventually { ends.withLock { $0 } > 0 })
            let summary = try await b.sync.sync()
            #expect(summary.conflicts.map(\.objectID) == [note])
            #expect(summary.inserted == [new] && summary.updated == [note] && summary.deleted == [later])
            let next = try await b.sync.sync()
            #expect(next.conflicts.isEmpty && next.changes.isEmpty && !next.isCutShort)
        }
    }

    @Test("what a device has sent itself is not counted as received", .scenario)
    func echoes() async throws {
        let (a, b) = try s.pair()
        let ids = try await a.edit { context in (0..<50).map { _ in TestNote(context: context).objectID } }
        let first = try await a.sync.sync()
        #expect(first.sent == 50 && first.received == 0)
        try await a.delete(ids[0])
        let second = try await a.sync.sync(), third = try await a.sync.sync()
        #expect(second.received + third.received == 0)
        let fresh = try await b.sync.sync()
        #expect(fresh.received == 49 && fresh.sent == 0)
    }

    @Test("what a cycle did before it failed is told by the next one that ends well")
    func failed() {
        var script = EngineScript()
        script.tell(.trigger(.push, ticket: nil))
        var applied = AppliedChanges()
        applied.received = 2
        applied.changes.inserted = [noteID(1)]
        applied.changes.updated = [noteID(2)]
        script.answer("fetch", .pageFetched(.success(page("1", more: true))))
        script.answer("apply", .pageApplied(.success(applied)))
        for _ in 0..<3 {
            script.answer("fetch after 1", .pageFetched(.failure(.offline)))
            script.answer("fetch", .pageFetched(.failure(.offline)))
            script.fire(.step)
        }
        #expect(script.reports.last == "failed network")
        script.fire(.cycle)
        applied.changes.inserted = []
        applied.changes.updated = [noteID(1)]
        applied.changes.deleted = [noteID(2)]
        script.answer("fetch", .pageFetched(.success(page("2"))))
        script.answer("apply", .pageApplied(.success(applied)))
        script.answer("prepare", nothingToSend)
        #expect(script.summaries.last?.inserted == [noteID(1)])
        #expect(script.summaries.last?.updated == [] && script.summaries.last?.deleted == [noteID(2)])
        #expect(script.summaries.last?.received == 4)
        #expect(script.engine.failedTotals == nil)
    }

    @Test("lists that grow while nobody asks end, and say so; the counts go on")
    func ceiling() {
        var all = SyncEngine.Totals(reason: "none")
        for _ in 0..<3 {
            var summary = SyncSummary(reason: "timer")
            summary.inserted = (0..<40_000).map { _ in ObjectID(entityName: "Note", key: ObjectKey(UUID())) }
            summary.received = 40_000
            all.add(summary, isAsked: false)
        }
        #expect(all.summary().inserted.count == 80_000 && all.summary().received == 120_000)
        #expect(all.summary().isCutShort)
    }
}
