import Backstitch
import BackstitchSync
import TestSupport
import Testing

@Suite("an insert whose answer is lost, and that others delete meanwhile", .scenario)
struct LostInsertTests: ScenarioSuite {
    @Test(
        "stays deleted everywhere, also when its maker has died in between",
        arguments: ConflictResolutionPolicy.allCases,
        [true, false])
    func deletedElsewhere(_ policy: ConflictResolutionPolicy, dies: Bool) async throws {
        var a = try s.device("a", policy: policy)
        let b = try s.device(policy: policy)
        _ = try await a.addNote("known")
        try await s.settle(a, b)
        let id = try await a.addNote("note") { note, context in note.tags = [TestTag(context: context)] }
        try await s.sync(a, .lostAnswer)
        if dies {
            try a.close()
            a = try s.device("a", policy: policy)
        }
        try await b.sync.sync()
        try await b.delete(id)
        try await b.sync.sync()
        let summary = try await a.sync.sync()
        #expect(summary.conflicts.isEmpty)
        try await s.settle(a, b)
        #expect(try await a.titles() == ["known"])
    }

    @Test("lives on under clientWins with what was edited after it was sent, and only that is in conflict")
    func editedSince() async throws {
        let (a, b) = try s.pair(policy: .clientWins)
        _ = try await a.addNote("known")
        try await s.settle(a, b)
        let id = try await a.addNote("note")
        try await s.sync(a, .lostAnswer)
        try await a.change(id) { note, _ in note.body = "edited since" }
        try await b.sync.sync()
        try await b.delete(id)
        try await b.sync.sync()
        #expect(try await a.sync.sync().conflicts.map(\.keys) == [["body"]])
        try await s.settle(a, b)
        #expect(try await b.titles() == ["known", "note"])
    }
}
