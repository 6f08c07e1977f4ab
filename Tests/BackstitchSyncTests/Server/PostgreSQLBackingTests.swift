import Backstitch
import BackstitchSync
import BackstitchTestKit
import TestSupport
import Testing

@Suite("synced stores over PostgreSQL")
struct PostgreSQLBackingTests {
    /// Tests of the others, which mean the same over any store.
    struct Borrowed: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let run: @Sendable () async throws -> Void

        init(_ name: String, _ run: @escaping @Sendable () async throws -> Void) {
            testDescription = name
            self.run = run
        }
    }

    static let borrowed = [
        Borrowed("up and down") { try await EndToEndTests().large() },
        Borrowed("relationships") { try await GapTests().relationships() },
        Borrowed("assets") { try await EndToEndTests().assets() },
        Borrowed("by itself") { try await EndToEndTests().automatic() },
        Borrowed("conflicts, the server wins") { try await ConflictTableTests().table(.serverWins) },
        Borrowed("conflicts, the client wins") { try await ConflictTableTests().table(.clientWins) },
        Borrowed("conflicts that code decides") { try await ConflictResolverTests().values() },
        Borrowed("to-ones") { try await GapTests().toOne() },
        Borrowed("cleared values") { try await GapTests().cleared() },
        Borrowed("deletions") { try await GapTests().deletions() },
        Borrowed("bad records") { try await GapTests().badRecords() },
        Borrowed("delete rules") { try await GapTests().deleteRules() },
        Borrowed("made again") { try await GapTests().madeAgain() },
        Borrowed("batch requests") { try await BatchSyncTests().batches() },
        Borrowed("order") { try await BatchSyncTests().order() },
        Borrowed("quarantine") { try await QuarantineTests().blocked() },
        Borrowed("a token that has expired") { try await FaultTests().tokenExpired() },
        Borrowed("a zone that is deleted") { try await FaultTests().zoneDeleted() },
        Borrowed("a lost answer") { try await FaultTests().lostAnswer(true) },
        Borrowed("every request, lost") { try await CrashTests().everyRequest(arrives: true, editsAfter: true) },
        Borrowed("families") { try await ModelShapeTests().inheritance() },
        Borrowed("predicates") { try await SelectionTests().predicate() },
        Borrowed("another account") { try await ResetTests().accountKeep() },
        Borrowed("wiped for another account") { try await ResetTests().accountWipe() },
        Borrowed("unique values, page by page") { try await UniqueTests().places(page: 1) },
        Borrowed("unique values and late links") { try await UniqueTests().lateLinks(isClientWins: false) },
        Borrowed("unique values within others") { try await UniqueTests().nested() },
        Borrowed("unique values at random") { try await UniqueRandomTests().converge(0) },
        Borrowed("at random, the server wins") { try await RandomConvergenceTests().converge(0) },
        Borrowed("at random, the client wins") { try await RandomConvergenceTests().converge(1) },
        Borrowed("forgotten deletions") { try await ForgottenDeletionTests().away() },
    ]

    @Test("a record that PostgreSQL cannot hold is parked, the rest arrives, and mended it comes too")
    func unstorable() async throws {
        try await SyncBacking.$current.withValue(.postgreSQL) {
            try await SyncWorld.run { world in
                let a = try SyncBacking.$current.withValue(.sqlite) { try world.device() }
                let b = try world.device()
                let bad = try await a.addNote("bad") { note, _ in note.body = "a\u{0}b" }
                _ = try await a.addNote("good")
                try await a.sync.sync()
                let summary = try await b.sync.sync()
                #expect(summary.parked.map(\.recordName) == [bad.key.uuidString])
                #expect(summary.parked.first?.reason.contains("U+0000") == true)
                #expect(try await b.titles() == ["good"])
                try await a.change(bad) { note, _ in note.body = "ab" }
                try await a.sync.sync()
                try await b.sync.sync()
                #expect(try await b.titles() == ["bad", "good"])
                #expect(try await b.sync.blocked.parkedRecords().isEmpty)
            }
        }
    }

    @Test("does", arguments: borrowed)
    func does(_ test: Borrowed) async throws {
        try await SyncBacking.$current.withValue(.postgreSQL) { try await Scenario.run { _ in try await test.run() } }
    }
}
