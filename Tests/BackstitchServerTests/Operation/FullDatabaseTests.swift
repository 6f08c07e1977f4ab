import Backstitch
import BackstitchPostgreSQL
import BackstitchTestKit
import CloudWire
import Foundation
import NIOHTTP1
import TestSupport
import Testing

@testable import BackstitchServer

/// A zone server whose PostgreSQL has no room on its disk.
@Suite("a database server whose disk is full", .timeLimit(.minutes(5)))
struct FullDatabaseTests {
    @Test(
        "changes are refused with advice, reads go on, /ready reports it for a minute; and all is well with room again",
        .enabled(if: PostgresServer.canMount, "only root can make a small disk"))
    func full() async throws {
        let server = try await onThread { try PostgresServer(diskMegabytes: 32) }
        defer { server.stop() }
        try await onThread {
            try server.sql("CREATE TABLESPACE small LOCATION '\(server.disk.path)'")
            try server.sql("CREATE DATABASE small TABLESPACE small")
            try server.sql(
                "CREATE TABLE ballast TABLESPACE small AS SELECT repeat('x', 1000) FROM generate_series(1, 8000)")
        }
        // Nothing in it comes twice, so it cannot be compressed much.
        var random = SeededGenerator(seed: 1)
        let letters = (0..<300_000).map { _ in UInt8.random(in: 33...126, using: &random) }
        let text = String(decoding: letters, as: UTF8.self)
        let clock = VirtualClock()
        try await withFolder { folder in
            let place = ZoneServerConfiguration.Storage.database(
                try .postgreSQL(server.url(database: "small")), assets: folder)
            try await withServer({
                $0.storage = place
                $0.clock = clock
            }) { client, _ in
                func push(_ name: String) async throws -> WireError? {
                    do {
                        return try await client.modify([create(name, ["t": .string(text)])], desiredKeys: [])[0].error
                    } catch let error as WireError {
                        return error
                    }
                }
                func readiness() async throws -> TestAnswer {
                    clock.advance(by: 2_000)
                    return try await client.send(client.base + "/ready", method: .GET)
                }
                try await client.makeZone()
                #expect(try await readiness().status == 200)
                var saved: [String] = [], refusal: WireError?
                while refusal == nil, saved.count < 200 {
                    let name = "r\(saved.count)"
                    refusal = try await push(name)
                    if refusal == nil { saved.append(name) }
                }
                #expect(refusal?.code == .tryAgainLater && refusal?.retryAfter == 60, "\(refusal as Any)")
                #expect(refusal?.reason.contains("disk is full") == true)
                #expect(saved.count > 3)
                for _ in 0..<2 {
                    let ready = try await readiness()
                    #expect(ready.status == 503 && ready.text.contains("the disk is full"), "\(ready.text)")
                }
                for name in saved { #expect(try await client.lookup([name])[0].record().value("t") == .string(text)) }
                try await onThread { _ = try server.sql("DROP TABLE ballast") }
                #expect(try await push("after") == nil)
                clock.advance(by: DiskRoom.pause)
                #expect(try await readiness().status == 200)
                #expect(try await client.lookup(["after"])[0].error == nil)
            }
        }
    }
}
