import Backstitch
import BackstitchSQL
import BackstitchSupport
import BackstitchTestKit
import CloudWire
import Foundation
import GRDB
import TestSupport
import Testing

@testable import BackstitchServer

/// The server's cleaning up, on a storage with much to remove.
@Suite struct CleanUpTests {
    /// Puts rows into a storage that no server uses.
    private func fill(_ folder: URL, _ statements: String...) async throws {
        let file = try DatabaseQueue(path: folder.appendingPathComponent("zones.sqlite").path)
        try await file.write { db in for statement in statements { try db.execute(sql: statement) } }
        try file.close()
    }

    private func count(_ folder: URL, _ table: String) async throws -> Int {
        let file = try DatabaseQueue(path: folder.appendingPathComponent("zones.sqlite").path)
        let count = try await file.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") ?? -1 }
        try file.close()
        return count
    }

    /// How many answers the server keeps.
    private func answers(_ server: ZoneServer) async throws -> Int {
        let service = try #require(server.state.withLock { $0.service })
        return try await service.context.storage.read { reading in
            let key = DatabaseKey(tenant: "iCloud.test/development", scope: .private, owner: "_development")
            return try reading.usage(tenantID: try #require(try reading.owner(key)).tenantID, user: key.owner).answers
        }
    }

    private static let rows = Effort.size("REMOVED_ROWS", usual: 20_000, whole: 100_000)

    @Test("a server that runs cleans up once a minute, and nobody has to ask it")
    func everyMinute() async throws {
        let clock = WatchedClock(), minuteLater = clock.uptime() + 60_000
        try await withServer({
            $0.clock = clock
            $0.idempotencyRetention = 30
        }) { plain, server in
            let client = plain.extended()
            try await client.makeZone()
            try await client.modify([create("r")], key: "k")
            #expect(try await answers(server) == 1)
            #expect(try await eventually { clock.isAwaited(at: minuteLater) })
            clock.advance(by: 60_000)
            #expect(try await eventually { try await answers(server) == 0 })
        }
    }

    @Test("a server that is to stop ends its cleaning up after a piece, and goes on when it has started again")
    func stops() async throws {
        try await withFolder { folder in
            try await withServer({ $0.storage = .directory(folder) }) { client, server in
                try await client.makeZone("old")
                for start in stride(from: 0, to: 1_600, by: 200) {
                    try await client.modify((start..<start + 200).map { create("r\($0)") }, zone: "old")
                }
                let _: ZonesResponse = try await client.call(
                    .zonesModify, ZonesModifyRequest(operations: [.init(.delete, ZoneID(zoneName: "old"))]))
                let cleaning = Task {
                    withUnsafeCurrentTask { $0?.cancel() }
                    try await server.cleanUp()
                }
                await #expect(throws: CancellationError.self) { try await cleaning.value }
            }
            #expect(try await count(folder, "record WHERE name LIKE 'r%'") >= 1_600 - RemovalPiece().rows)
            try await withServer({ $0.storage = .directory(folder) }) { _, server in try await server.cleanUp() }
            #expect(try await count(folder, "record WHERE name LIKE 'r%'") == 0)
        }
    }

    @Test("much that is to be removed goes piece by piece, and others write in between")
    func pieces() async throws {
        try await withFolder { folder in
            try await withServer({ $0.storage = .directory(folder) }) { client, _ in
                try await client.makeZone("old")
                try await client.makeZone()
            }
            let numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(Self.rows))"
            try await fill(
                folder,
                """
                \(numbers) INSERT INTO answer (tenant_id, owner_id, user, key, body_digest, response, created)
                SELECT 1, 1, 'u', i, x'00', zeroblob(200), 0 FROM n
                """,
                """
                \(numbers) INSERT INTO record (tenant_id, zone_id, name, type, sequence, deleted, flags, created, created_by,
                    modified, modified_by, fields)
                SELECT 1, 1, 'r' || i, 'Item', i, 0, 0, 0, 'u', 0, 'u', zeroblob(300) FROM n
                """,
                "\(numbers) INSERT INTO reference SELECT 1, 1, 'r1', 'r' || i, 'VALIDATE' FROM n",
                "\(numbers) INSERT INTO asset SELECT 1, CAST('c' || i AS BLOB), 1, 0, 1 FROM n",
                """
                \(numbers) INSERT INTO asset_use (tenant_id, zone_id, record, field, checksum)
                SELECT 1, 1, 'r' || i, 'f', CAST('c' || i AS BLOB) FROM n
                """)
            try await withServer({ $0.storage = .directory(folder) }) { client, server in
                let start = ContinuousClock.now
                let gone: ZonesResponse = try await client.call(
                    .zonesModify, ZonesModifyRequest(operations: [.init(.delete, ZoneID(zoneName: "old"))]))
                let deletion = ContinuousClock.now - start
                guard case .zone(let zone)? = gone.zones.first else { throw TestFailure("\(gone)") }
                #expect(zone.deleted == true)
                // The zone is made anew, and empty, while its old content is still being removed.
                try await client.makeZone("old")
                try await client.save("new", zone: "old")
                let isCleaning = Locked(true)
                async let pushes = Self.push(client, while: isCleaning)
                try await server.cleanUp()
                isCleaning.withLock { $0 = false }
                let (count, longest) = try await pushes
                print(
                    "counted: \(Self.rows) rows in each of 5 tables removed in \(ContinuousClock.now - start), a zone deleted in "
                        + "\(deletion); meanwhile \(count) pushes, the longest took \(longest)")
                #expect(count >= 10)
                #expect(try await client.follow(zone: "old").records.map(\.recordName) == ["new"])
            }
            for table in ["answer", "reference", "asset", "asset_use", "zone WHERE state = 3"] {
                #expect(try await count(folder, table) == 0, "\(table)")
            }
            #expect(try await count(folder, "record WHERE name LIKE 'r%'") == 0)
        }
    }

    @Test(
        "a transaction that removes looks at a piece and no more, by rows and by bytes, and says when nothing is left")
    func bounds() async throws {
        let clock = VirtualClock()
        try await withServer({ $0.clock = clock }) { plain, server in
            let client = plain.extended()
            try await client.makeZone()
            let text = WireValue.string(String(repeating: "x", count: 1_000))
            for number in 0..<7 { try await client.modify([create("r\(number)", ["t": text])], key: "k\(number)") }
            let service = try #require(server.state.withLock { $0.service })
            func removeAnswers(_ piece: RemovalPiece) async throws -> Bool {
                try await service.context.storage.write { [now = clock.milliseconds() + 1] in
                    try $0.removeAnswers(createdBefore: now, piece)
                }
            }
            #expect(try await removeAnswers(RemovalPiece(rows: 3)))
            #expect(try await answers(server) == 4)
            // A row larger than a piece is removed nevertheless, alone.
            #expect(try await removeAnswers(RemovalPiece(bytes: 1)))
            #expect(try await answers(server) == 3)
            while try await removeAnswers(RemovalPiece(rows: 2)) {}
            #expect(try await answers(server) == 0)

            let deletion = ZonesModifyRequest(operations: [.init(.delete, TestClient.zone)])
            _ = try await client.call(.zonesModify, deletion, as: ZonesResponse.self)
            var pieces = 0
            while try await service.context.storage.write({ try $0.emptyDeletedZones(RemovalPiece(rows: 2)) }) {
                pieces += 1
            }
            // Four pieces of records, and the row of the zone itself.
            #expect(pieces == 5)
        }
    }

    @Test("references of a deleted zone, and its uses of assets, go a piece at a time too")
    func zoneInPieces() async throws {
        try await withServer { client, server in
            try await client.makeZone()
            let target = WireValue.reference(WireReference(recordName: "r0", action: .deleteSelf))
            try await client.modify((0..<7).map { create("r\($0)", $0 == 0 ? [:] : ["p": target]) })
            let storage = try #require(server.state.withLock { $0.service }).context.storage
            try await storage.write { writing in
                let key = DatabaseKey(tenant: "iCloud.test/development", scope: .private, owner: "_development")
                let owner = try #require(try writing.owner(key))
                let zone = try #require(try writing.zone(owner, named: "Z"))
                for number in 0..<5 {
                    let checksum = AssetChecksum(bytes: [UInt8](repeating: UInt8(number), count: 32))
                    try writing.putAsset(
                        StoredAsset(tenantID: zone.tenantID, checksum: checksum, size: 1, uploaded: 0))
                    let use = StoredAssetUse(record: "r\(number)", field: "f", checksum: checksum)
                    try writing.setAssets(zone, of: [], [use])
                }
            }
            // Finds that the assets are in use.
            try await server.cleanUp()
            let tables = ["record", "reference", "asset_use", "asset WHERE doubtful"]
            func rows() async throws -> [Int] {
                try await storage.read { reading in
                    try tables.map { table in
                        try reading.one("SELECT count(*) FROM \(names: table)") { Int($0.int(0)) } ?? -1
                    }
                }
            }
            var before = try await rows()
            #expect(before == [7, 6, 5, 0])
            let deletion = ZonesModifyRequest(operations: [.init(.delete, TestClient.zone)])
            _ = try await client.call(.zonesModify, deletion, as: ZonesResponse.self)
            var pieces = 0
            while try await storage.write({ try $0.emptyDeletedZones(RemovalPiece(rows: 2)) }) {
                pieces += 1
                let left = try await rows()
                for (table, counts) in zip(tables, zip(before, left)) {
                    #expect(abs(counts.0 - counts.1) <= 2, "\(table) in piece \(pieces)")
                }
                before = left
            }
            #expect(before == [0, 0, 0, 5])
            // Pieces of records, references and uses, and the row of the zone itself.
            #expect(pieces == 4 + 3 + 3 + 1)
        }
    }

    @Test("tombstones, push tokens and assets go a piece at a time, however many are old")
    func pieceByPiece() async throws {
        let clock = VirtualClock()
        try await withServer({
            $0.clock = clock
            $0.userQuotas.requestsPerSecond = 100_000
        }) { plain, server in
            let client = plain.extended()
            try await client.makeZone()
            try await client.modify((0..<1_200).map { create("r\($0)") })
            try await client.modify((0..<1_200).map { operation(.forceDelete, "r\($0)") })
            clock.advance(by: 91 * 86_400 * 1_000)
            let statements = try await StatementCount(server)
            try await server.cleanUp()
            // One statement for each piece of 500, and one more looks for a rest.
            #expect(statements.take("DELETE FROM record") == 3)
            #expect(try await client.follow().records.isEmpty)
        }
    }

    @Test("something that cannot be removed keeps nothing else, and is told each time")
    func stray() async throws {
        let clock = VirtualClock()
        try await withFolder { folder in
            try await withServer({
                $0.clock = clock
                $0.storage = .directory(folder)
            }) { client, server in
                try await client.makeZone()
                try await client.save("A")
                try await client.save(.forceDelete, "A")
                // Where folders of users belong.
                let partials = folder.appendingPathComponent("assets/partial")
                try Data().write(to: partials.appendingPathComponent("stray"))
                clock.advance(by: 91 * 86_400 * 1_000)
                for _ in 0..<2 { await #expect(throws: SystemError.self) { try await server.cleanUp() } }
                #expect(try await client.follow().records.isEmpty)
            }
            #expect(try await count(folder, "record WHERE name = 'A'") == 0)
        }
    }

    /// Pushes one by one, and gives how many went, and how long the slowest took.
    private static func push(_ client: TestClient, while isGoing: Locked<Bool>) async throws -> (Int, Duration) {
        var count = 0
        var longest = Duration.zero
        while isGoing.withLock({ $0 }) {
            let start = ContinuousClock.now
            try await client.save("p\(count)")
            longest = max(longest, ContinuousClock.now - start)
            count += 1
        }
        return (count, longest)
    }
}

/// A clock that moves when it is told to, and wakes its waiters.
private final class WatchedClock: WallClock {
    private let clock = VirtualClock()
    private let awaited = Locked<Set<Int64>>([])

    func milliseconds() -> Int64 { clock.milliseconds() }

    /// Whether a task has begun to wait for a time.
    func isAwaited(at time: Int64) -> Bool { awaited.withLock { $0.contains(time) } }

    func uptime() -> Int64 { clock.uptime() }

    func sleep(untilUptime time: Int64) async throws {
        awaited.withLock { _ = $0.insert(time) }
        while uptime() < time { try await Task.sleep(for: .milliseconds(5)) }
    }

    func advance(by milliseconds: Int64) { clock.advance(by: milliseconds) }
}
