import Backstitch
import BackstitchTestKit
import Testing

/// Requests that no coordinator makes. An SQL store refuses them whole, on every database.
@Suite("requests that an SQL store refuses")
struct SaveRefusalTests {
    private func bench(_ database: TestedDatabase) throws -> StoreBench {
        let clock = VirtualClock()
        return StoreBench(
            store: try database.open(.journal), model: try ResolvedModel(.journal),
            generator: ObjectIDGenerator(clock: clock, random: SeededGenerator(seed: 7)), clock: clock)
    }

    @Test("an update whose lists are out of step", arguments: TestedDatabase.all)
    func malformedUpdate(_ database: TestedDatabase) async throws {
        try await onThread {
            let bench = try bench(database)
            defer { try? bench.store.close() }
            let rows = try bench.rows("Tag", bench.generator.next(), ["name": "old"])
            let first = try bench.save { $0.inserts = [rows] }.transactionNumber
            let error = #expect(throws: BackstitchError.self) {
                try bench.save { $0.updates = [RowUpdate(rows: rows, originals: rows, changed: [])] }
            }
            #expect(error?.code == .internalInconsistency)
            #expect(try bench.store.journal?.readJournal { try $0.lastTransactionNumber() } == first)
        }
    }

    @Test("links of a side that owns none, with nothing of the save stored", arguments: TestedDatabase.all)
    func wrongSide(_ database: TestedDatabase) async throws {
        try await onThread {
            let bench = try bench(database)
            defer { try? bench.store.close() }
            let tag = bench.generator.next(), entry = bench.generator.next()
            try bench.save { $0.inserts = [try bench.rows("Tag", tag), try bench.rows("Entry", entry)] }
            let error = #expect(throws: BackstitchError.self) {
                try bench.save { request in
                    request.inserts = [try bench.rows("Location", bench.generator.next())]
                    request.links = [try bench.links("entries", of: "Tag", added: [(tag, entry)])]
                }
            }
            #expect(error?.code == .invalidRequest)
            #expect(try bench.store.count(StoreFetchRequest(entity: bench.entity("Location"))) == 0)
        }
    }
}
