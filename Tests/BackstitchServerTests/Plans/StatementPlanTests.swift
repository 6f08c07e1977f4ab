import Backstitch
import BackstitchSQL
import BackstitchSupport
import Foundation
import TestSupport
import Testing

@testable import BackstitchServer

/// Each statement of the storage is explained by each database, with 3,000 similar rows for each row. It must read only
/// the requested rows of a tenant's zone, share or table.
@Suite("statements of the storage are read by their indexes") struct StatementPlanTests {
    /// The counts that a database has of its tables.
    enum Statistics: String, CaseIterable {
        case none = "nothing"
        case right = "all rows"
    }

    /// PostgreSQL counts tables by itself after a time; until then it knows nothing of a new one.
    @Test(
        "whatever the database has counted",
        arguments: [
            (StorageKind.directory, Statistics.none), (.directory, .right), (.postgreSQL, .none),
        ])
    func plans(_ kind: StorageKind, _ statistics: Statistics) async throws {
        try await withRecordedStorage(kind) { storage, recorder in
            let statements = recorder.statements
            let faults = try await storage.write { transaction -> [String] in
                let run = { (text: SQLText) in _ = try transaction.execute(text) }
                if kind == .postgreSQL {
                    for table in try transaction.connection.describeTables() {
                        try run("ALTER TABLE \"\(names: table.name)\" SET (autovacuum_enabled = false)")
                    }
                    try run("SET LOCAL plan_cache_mode = force_generic_plan")
                }
                let tables = Set(try PlanData(transaction: transaction).fill())
                if statistics == .right { try run("ANALYZE") }
                let known = PlanRules.small.union(PlanRules.wide.keys)
                #expect(tables.subtracting(known).isEmpty, "say in PlanRules how much of them may be read")
                let reader = try PlanReader(transaction.connection)
                return try statements.flatMap { recorded in
                    Set(try reader.accesses(recorded)).compactMap { PlanRules.fault($0, of: recorded.statement.text) }
                }
            }
            #expect(statements.count > 150)
            #expect(
                faults.isEmpty,
                "\(faults.count) with statistics of \(statistics.rawValue):\n\(faults.sorted().joined(separator: "\n"))"
            )
        }
    }

    @Test("each statement of the sources is among those that are explained")
    func complete() async throws {
        try await withRecordedStorage(.postgreSQL) { _, recorder in
            let texts = recorder.statements.map(\.statement.text)
            let written = try WrittenStatement.all()
            #expect(written.count > 150)
            for statement in written where !texts.contains(where: statement.isPart) {
                Issue.record("\(statement.place) is not carried out by PlanScenario: \(statement.pieces)")
            }
        }
    }

    /// Runs `body` with a storage that has carried out the scenario.
    private func withRecordedStorage(
        _ kind: StorageKind, _ body: (ZoneStorage, StatementRecorder) async throws -> Void
    ) async throws {
        try await StatementRecorder.withStorage(kind) { storage, recorder in
            try await storage.write { try PlanScenario($0).run() }
            try await storage.read { try PlanScenario.read($0) }
            recorder.stop()
            try await body(storage, recorder)
        }
    }
}

extension PlanScenario {
    /// The statements for reading that differ from those for writing.
    static func read(_ reading: ZoneSnapshot) throws {
        let checksum = AssetChecksum(contentOf: [1])
        _ = try reading.asset(tenantID: 1, checksum: checksum)
        _ = try reading.assetSizes(tenantID: 1, of: [checksum])
        _ = try reading.assetSizes(tenantID: 1, of: [checksum, AssetChecksum(contentOf: [2])])
    }
}
