import Backstitch
import BackstitchSupport
import BackstitchTestKit
import CloudWire
import TestSupport
import Testing

@testable import BackstitchServer

/// All other writers wait for a transaction, of a zone or of the storage. So its changed rows are bounded, and its
/// processor time, which does not depend on other work on the machine.
@Suite("the largest requests hold the writer's lock for a bounded time") struct LockTimeTests {
    private static let most = WireLimits.extended.operations
    /// The processor time of a transaction. A debug build needs 50 ms for the longest one.
    private static let longest = Duration.milliseconds(250)

    /// Prints the largest transaction, and expects all of them to be small.
    private func check(_ what: String, on kind: StorageKind, _ recorder: StatementRecorder, rows: Int) {
        let transactions = recorder.takeTransactions()
        let changes = transactions.map(\.changes).max() ?? 0
        let work = transactions.map(\.work).max() ?? .zero
        print(
            "counted: \(what) on \(kind): \(transactions.count) transactions, at most \(changes) rows and \(work) of "
                + "processor time in one")
        #expect(!transactions.isEmpty && changes <= rows, "\(what) on \(kind): \(changes) rows")
        #expect(work < Self.longest, "\(what) on \(kind): \(work)")
    }

    /// Requests of the most operations, each with the most rows that it may change.
    private static let requests: [(what: String, rows: Int, operation: @Sendable (Int) -> RecordOperation)] = {
        let text = String(repeating: "é", count: 1_900)
        // A record and its entry in the index of a query.
        let indexed = 2 * most + 50
        return [
            ("small records", indexed, { create("a\($0)", ["n": .int64(Int64($0))]) }),
            ("updates", indexed + most, { operation(.forceUpdate, "a\($0)", ["n": .int64(-1)]) }),
            (
                "records of 8 MB", indexed,
                { create("b\($0)", ["n": .int64(Int64($0)), "text": .string(text)]) }
            ),
            (
                "records with references", indexed + most,
                { number in
                    let up = WireReference(recordName: "c\((number - 1) / 2)", action: .deleteSelf)
                    return create("c\(number)", number == 0 ? [:] : ["up": .reference(up)])
                }
            ), ("deletions", indexed + most, { operation(.forceDelete, "a\($0)") }),
        ]
    }()

    @Test("to change, to delete and to remove records", arguments: StorageKind.allCases)
    func records(_ kind: StorageKind) async throws {
        let clock = VirtualClock(), kept = 3_600
        try await StatementRecorder.withServer(
            kind,
            {
                $0.clock = clock
                $0.tombstoneRetention = kept
            }
        ) { plain, server, recorder in
            let client = plain.extended()
            try await client.makeZone()
            _ = try await client.query(RecordQuery(recordType: "Item", sortBy: [QuerySort("n")]))
            for (what, rows, operation) in Self.requests {
                clock.advance(by: 60_000)
                _ = recorder.takeTransactions()
                let results = try await client.modify((0..<Self.most).map(operation), desiredKeys: [])
                #expect(results.count == Self.most && results.allSatisfy { $0.error == nil })
                check(what, on: kind, recorder, rows: rows)
            }
            let results = try await client.modify([operation(.forceDelete, "c0")])
            #expect(results.allSatisfy { $0.error == nil })
            let last = try await client.lookup(["c\(Self.most - 1)"])[0]
            #expect(last.error != nil || (try? last.record().deleted) == true)
            check("a deletion that takes others along", on: kind, recorder, rows: 3 * Self.most + 50)
            clock.advance(by: Int64(2 * kept) * 1_000)
            try await server.cleanUp()
            check("the removal of deletions", on: kind, recorder, rows: RemovalPiece().rows + 20)
        }
    }
}
