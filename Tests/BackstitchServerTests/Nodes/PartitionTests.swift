import BackstitchPostgreSQL
import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchServer

/// `Operations/partition-by-tenant.sql` on the tables that a server has made and filled.
@Suite("tables that are split by tenant", .serialized)
struct PartitionTests {
    @Test("a server goes on with them, and everything agrees")
    func splitTables() async throws {
        let place = FileManager.default.temporaryDirectory
        let database = "partition_\(UUID().uuidString.prefix(8).lowercased())"
        let postgres = try PostgresServer.shared.get()
        _ = try postgres.sql("CREATE DATABASE \(database)")
        let folder = place.appending(path: "backstitch-\(database)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let storage = ZoneServerConfiguration.Storage.database(
            try .postgreSQL(postgres.url(database: database)), assets: folder)
        let world = MaintainedWorld(kind: .postgreSQL, place: storage)
        let token = try await world.serve { client in
            try await MaintainedWorld.fill(client)
            return try await client.user("ada").page().syncToken
        }
        let script = URL(filePath: #filePath).appending(path: "../../../../Operations/partition-by-tenant.sql")
        _ = try postgres.sql(in: database, file: script.standardized)
        let parts = try postgres.sql(
            "SELECT count(*) FROM pg_class WHERE relispartition AND relkind = 'r'", in: database)
        #expect((Int(parts.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0) >= 12 * 16, "\(parts)")
        try await world.serve { client in
            let ada = client.user("ada")
            #expect(try await ada.page(token).records.isEmpty)
            #expect(try await ada.follow().records.count { !$0.deleted } == 29)
            #expect(try await MaintainedWorld.photo(ada) == MaintainedWorld.photo + Array("ada".utf8))
            // A new tenant, whose rows are of another part.
            for name in ["iCloud.a", "iCloud.b", "iCloud.c"] {
                var other = client
                other.container = name
                try await MaintainedWorld.fill(other)
                try await other.user("ada").modify([operation(.forceDelete, "photo")])
            }
        }
        let report = try await world.maintenance.verify(hashes: true)
        #expect(report.isGood, "\(report.faults)")
        #expect(try await world.maintenance.status().containers.count == 4)
        // It moves as any other storage does.
        try await StorageKind.directory.withOther { other in
            let moved = try await world.maintenance.copy(to: other.maintenance)
            #expect(moved["record", default: 0] >= 4 * 2 * 33)
            #expect(try await other.maintenance.verify(hashes: true).isGood)
        }
    }
}
