import Backstitch
import BackstitchSQL
import BackstitchTestKit
import Foundation
import TestSupport
import Testing

@testable import BackstitchServer

@Suite("looking after a storage: figures and faults")
struct VerifyTests {
    @Test("figures are counted while the server runs", arguments: StorageKind.allCases)
    func status(_ kind: StorageKind) async throws {
        try await MaintainedWorld.run(kind) { world in
            try await world.serve { client in
                try await MaintainedWorld.fill(client)
                let status = try await world.maintenance.status(users: 1)
                let container = try #require(status.containers.first)
                #expect(status.containers.count == 1 && container.name == "iCloud.test/development")
                #expect(container.databases == 2 && container.zones == 2)
                #expect(container.records == 2 * (30 + 2 - 4 + 1))
                #expect(container.deletions == 8)
                #expect(container.assets == 4 && container.unusedAssets == 2)
                #expect(container.assetBytes > 2 * MaintainedWorld.photo.count)
                #expect(container.answers == 2)
                #expect(container.userCount == 2 && container.users.count == 1)
                // And one in a deleted zone whose content has not been removed yet.
                #expect(container.users[0].records == 30)
                #expect(try #require(container.lastActivity) > 1_700_000_000_000)
                #expect(status.history > 0 && status.schemaSteps.contains("queries"))
            }
        }
    }

    @Test("nothing is wrong with a storage that a server has filled", arguments: StorageKind.allCases)
    func good(_ kind: StorageKind) async throws {
        try await MaintainedWorld.run(kind) { world in
            try await world.serve { client in
                try await MaintainedWorld.fill(client)
                let report = try await world.maintenance.verify(hashes: true)
                #expect(report.isGood && report.faults.isEmpty, "\(report.faults)")
                #expect(report.contents == 2 && report.hasHashed)
                #expect(report.danglingReferences == 2)
                #expect(report.strayContents == 0)
            }
        }
    }

    /// Faults that are made by hand, with the kind of each.
    private static let faults: [(StorageReport.Fault.Kind, SQLText)] = [
        (.sequenceBeyondHead, "UPDATE zone SET head = 1 WHERE name = 'Z' AND head > 2"),
        (.recordWithoutZone, "UPDATE record SET zone_id = 99 WHERE name = 'r5' AND created_by = 'ada'"),
        (.zoneBeyondDatabase, "UPDATE owner SET head = 0"),
        (.missingTarget, "DELETE FROM record WHERE name = 'r0'"),
        (.referenceWithoutRecord, "DELETE FROM record WHERE name = 'child'"),
        (.assetUseWithoutRecord, "DELETE FROM record WHERE name = 'photo'"),
        (
            .queryEntryWithoutRecord,
            """
            INSERT INTO query_entry (tenant_id, zone_id, number, key, record)
            SELECT tenant_id, zone_id, 1, fields, 'nobody' FROM record WHERE name = 'r7'
            """
        ),
        (.wrongUsage, "UPDATE usage SET bytes = bytes + 1 WHERE \"user\" = 'ada'"),
    ]

    @Test("each fault of rows is found", arguments: StorageKind.allCases)
    func rows(_ kind: StorageKind) async throws {
        try await MaintainedWorld.run(kind) { world in
            try await world.serve { try await MaintainedWorld.fill($0) }
            // SQLite itself does not let a record be in no zone.
            for (fault, statement) in Self.faults where kind == .postgreSQL || fault != .recordWithoutZone {
                try world.execute(statement)
                let report = try await world.maintenance.verify()
                #expect(!report.isGood)
                #expect(report.counts[fault, default: 0] > 0, "\(fault) is not among \(report.counts)")
                #expect(report.faults.contains { $0.kind == fault && !$0.place.isEmpty })
            }
        }
    }

    @Test("each fault of content is found", arguments: StorageKind.allCases)
    func contents(_ kind: StorageKind) async throws {
        try await MaintainedWorld.run(kind) { world in
            try await world.serve { try await MaintainedWorld.fill($0) }
            let files = try world.contents().filter {
                (FileManager.default.contents(atPath: $0.path)?.count ?? 0) > 1_000
            }
            #expect(files.count == 2)
            var bytes = try Data(contentsOf: files[0])
            bytes[7] ^= 1
            try bytes.write(to: files[0])
            #expect(try await world.maintenance.verify().isGood)
            #expect(try await world.maintenance.status().containers.map(\.missingAssets) == [0])
            #expect(try await world.maintenance.verify(hashes: true).counts == [.wrongContent: 1])
            try bytes.dropLast().write(to: files[0])
            #expect(try await world.maintenance.verify().counts == [.wrongContentSize: 1])
            try FileManager.default.removeItem(at: files[1])
            #expect(try await world.maintenance.verify().counts == [.wrongContentSize: 1, .missingContent: 1])
            let container = try #require(try await world.maintenance.status().containers.first)
            #expect(container.missingAssets == 1)
            #expect(container.missing.map { files[1].path.hasSuffix($0) } == [true])
            #expect(try await world.maintenance.status(users: 0).containers.first?.missing == [])
        }
    }

    @Test("a place without a storage is told of, and nothing is made there")
    func nothing() async throws {
        try await MaintainedWorld.run(.directory) { world in
            let error = await #expect(throws: ZoneServerError.self) { try await world.maintenance.status() }
            #expect(error?.code == .storageUnavailable)
            guard case .directory(let folder) = world.place else { return }
            #expect(!FileManager.default.fileExists(atPath: folder.path))
        }
        try await MaintainedWorld.run(.postgreSQL) { world in
            let error = await #expect(throws: ZoneServerError.self) { try await world.maintenance.verify() }
            #expect(error?.code == .storageUnavailable)
            #expect(error?.message.contains("no storage") == true)
        }
    }

    @Test("old things are removed at once, and a server's folder is left alone", arguments: StorageKind.allCases)
    func purge(_ kind: StorageKind) async throws {
        try await MaintainedWorld.run(kind) { world in
            try await world.serve { client in
                try await MaintainedWorld.fill(client)
                guard kind == .directory else { return }
                let error = await #expect(throws: ZoneServerError.self) { try await world.maintenance.purge() }
                #expect(error?.code == .storageUnavailable)
            }
            var configuration = world.maintenance.configuration
            #expect(try await StorageMaintenance(configuration).purge().deletions == 0)
            // A day later, with everything to be forgotten after an hour.
            configuration.clock = VirtualClock(milliseconds: SystemClock().milliseconds() + 86_400_000)
            configuration.tombstoneRetention = 3_600
            configuration.idempotencyRetention = 3_600
            let purged = try await StorageMaintenance(configuration).purge()
            #expect(purged.deletions == 8 && purged.answers == 2 && purged.assets == 2)
            #expect(try await world.maintenance.verify(hashes: true).isGood)
            #expect(try world.contents().count == 2)
        }
    }
}
