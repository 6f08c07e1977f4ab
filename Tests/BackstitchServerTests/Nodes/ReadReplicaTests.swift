import Backstitch
import BackstitchPostgreSQL
import BackstitchSQL
import BackstitchTestKit
import CloudWire
import CoreMetrics
import Foundation
import TestSupport
import Testing

@testable import BackstitchServer

/// A server whose database has a hot standby. The standby may stop replaying, or end.
@Suite("read replicas", .serialized)
struct ReadReplicaTests {
    private struct Stage: Sendable {
        let primary: PostgresServer
        let standby: PostgresServer
        let client: TestClient
        let clock: VirtualClock
        let metrics: PrometheusMetricsFactory

        /// How many pages the standby has had a part in, by result.
        func count(_ result: String) throws -> Int {
            let text = metrics.text()
            let line = text.split(separator: "\n").first {
                $0.hasPrefix("backstitch_replica_reads_total") && $0.contains("\"\(result)\"")
            }
            return line.flatMap { $0.split(separator: " ").last }.flatMap { Double($0) }.map { Int($0) } ?? 0
        }

        /// Waits until the standby has replayed all that the primary has written.
        func caughtUp() async throws -> Bool {
            let position = try primary.sql("SELECT pg_current_wal_lsn()").trimmingCharacters(
                in: .whitespacesAndNewlines)
            return try await eventually {
                try standby.sql("SELECT pg_last_wal_replay_lsn() >= '\(position)'").hasPrefix("t")
            }
        }

        func pause() async throws {
            _ = try standby.sql("SELECT pg_wal_replay_pause()")
            #expect(
                try await eventually { try standby.sql("SELECT pg_get_wal_replay_pause_state()").hasPrefix("paused") })
        }

        func resume() throws { _ = try standby.sql("SELECT pg_wal_replay_resume()") }
    }

    private func withStage(_ body: (Stage) async throws -> Void) async throws {
        let primary = try await onThread { try PostgresServer() }
        let standby = try await onThread { try PostgresServer(standbyOf: primary) }
        defer {
            standby.stop()
            primary.stop()
        }
        let clock = VirtualClock(milliseconds: SystemClock().milliseconds())
        let metrics = PrometheusMetricsFactory()
        let source = try DatabaseSource.postgreSQL(primary.url)
        let replica = try DatabaseSource.postgreSQLReplica(standby.url)
        try await withFolder { folder in
            try await withMetricsFactory(metrics) {
                try await withServer({
                    $0.storage = .database(source, assets: folder)
                    $0.readReplicas = [replica]
                    $0.clock = clock
                }) { client, _ in
                    try await client.makeZone()
                    try await body(
                        Stage(
                            primary: primary, standby: standby, client: client.extended(), clock: clock,
                            metrics: metrics))
                }
            }
        }
    }

    @Test("serve pages when they have come far enough, are passed over when not, and are left alone when they fail")
    func pages() async throws {
        try await withStage { stage in
            let client = stage.client
            try await client.modify((0..<20).map { create("a\($0)") })
            #expect(try await stage.caughtUp())
            let first = try await client.page()
            #expect(first.records.count == 20 && !first.moreComing)
            #expect(try stage.count("served") == 1)

            // The standby stands still. The primary's data is read there, even by the client that has just pushed it.
            try await stage.pause()
            try await client.modify((0..<20).map { create("b\($0)") })
            let second = try await client.page(first.syncToken)
            #expect(second.records.count == 20 && second.records.allSatisfy { $0.recordName.hasPrefix("b") })
            #expect(try stage.count("served") == 1 && stage.count("behind") == 1)
            // Nor does a device that has read more than the standby knows go back.
            #expect(try await client.page(second.syncToken).records.isEmpty)
            #expect(try stage.count("served") == 1)

            // Pages before the end of the zone may be from a standby that is behind: they are the same everywhere.
            for number in 0..<4 { try await client.save("c\(number)") }
            try stage.resume()
            #expect(try await stage.caughtUp())
            try await stage.pause()
            try await client.save("late")
            var names: [String] = [], token: String?
            repeat {
                let page = try await client.page(token, limit: 3)
                names += page.records.map(\.recordName)
                token = page.syncToken
                if !page.moreComing { break }
            } while true
            #expect(names.count == 45 && Set(names).count == 45 && names.contains("late"))
            #expect(try stage.count("served") > 1)

            // A recreated zone is a different one, even if the standby still has the old one.
            let before = try stage.count("served")
            let _: ZonesResponse = try await client.call(
                .zonesModify, ZonesModifyRequest(operations: [.init(.delete, TestClient.zone)]))
            try await client.makeZone()
            try await client.save("new life")
            #expect(try await client.follow().records.map(\.recordName) == ["new life"])
            #expect(try stage.count("served") == before)

            // The standby ends. One page notices that, pages within ten seconds do not ask it, a later one does.
            try stage.resume()
            #expect(try await stage.caughtUp())
            try await onThread { stage.standby.crash() }
            #expect(try await client.page().records.count == 1)
            #expect(try stage.count("failed") == 1)
            #expect(try await client.page().records.count == 1)
            #expect(try stage.count("failed") == 1)
            try await onThread { try stage.standby.start() }
            #expect(try await stage.caughtUp())
            stage.clock.advance(by: ReadReplicas.rest)
            let served = try stage.count("served")
            #expect(try await client.page().records.count == 1)
            #expect(try stage.count("served") == served + 1)
        }
    }

    @Test("a database that is no replica of the server's is not read")
    func stranger() async throws {
        let other = "zones_\(UUID().uuidString.lowercased())"
        let source = try StorageKind.source(schema: other)
        try await withFolder { folder in
            try await withServer({ $0.storage = .database(source, assets: folder) }) { client, _ in
                try await client.makeZone()
                try await client.save("foreign")
            }
            try await StorageKind.postgreSQL.withPlace { place in
                let replica = try DatabaseSource.postgreSQLReplica(StorageKind.url, options: [.postgresSchema: other])
                try await withServer({
                    $0.storage = place
                    $0.readReplicas = [replica]
                }) { client, _ in
                    try await client.makeZone()
                    try await client.save("own")
                    #expect(try await client.page().records.map(\.recordName) == ["own"])
                }
            }
        }
    }
}
