import Backstitch
import BackstitchSupport
import BackstitchTestKit
import CloudWire
import CoreMetrics
import Foundation
import Logging
import NIOHTTP1
import TestSupport
import Testing

@testable import BackstitchServer

/// The answers of a server to operators and load balancers.
@Suite("the administration", .timeLimit(.minutes(5))) struct AdministrationTests {
    /// A server whose metrics are its own, and the address of its administration.
    private func withAdministration(
        _ change: (inout ZoneServerConfiguration) -> Void = { _ in },
        _ body: (TestClient, ZoneServer, _ administration: String) async throws -> Void
    ) async throws {
        let metrics = PrometheusMetricsFactory()
        try await withMetricsFactory(metrics) {
            try await withServer({
                $0.administration = .init(port: 0, metrics: metrics)
                change(&$0)
            }) { client, server in
                try await body(client, server, try #require(server.administrationURL).absoluteString)
            }
        }
    }

    private func get(_ client: TestClient, _ address: String) async throws -> TestAnswer {
        try await client.send(address, method: .GET)
    }

    @Test("it is on loopback unless it is told otherwise, and has no other routes; the zones have none of its metrics")
    func routes() async throws {
        #expect(AdministrationListener().host == "127.0.0.1")
        try await withAdministration { client, _, administration in
            #expect(URL(string: administration)?.host == "127.0.0.1")
            let health = try await get(client, administration + "/health")
            #expect(health.status == 200 && health.text == #"{"status":"ok"}"#)
            // A machine that stood still has a slow storage, for once.
            #expect(try await eventually { try await get(client, administration + "/ready").status == 200 })
            let ready = try await get(client, administration + "/ready")
            #expect(ready.text == #"{"status":"ready"}"#)
            let metrics = try await get(client, administration + "/metrics")
            #expect(metrics.headers["Content-Type"] == ["text/plain; version=0.0.4; charset=utf-8"])
            let path = "/database/1/iCloud.test/development/private/zones/list"
            #expect(try await get(client, administration + path).status == 404)
            #expect(try await get(client, administration + "/").status == 404)
            #expect(try await client.send(administration + "/ready", method: .POST).status == 405)
            let head = try await client.send(administration + "/health", method: .HEAD)
            #expect(head.status == 200 && head.body.isEmpty)

            #expect(try await get(client, client.base + "/health").text == health.text)
            #expect(try await get(client, client.base + "/ready").text == ready.text)
            #expect(try await get(client, client.base + "/metrics").status == 404)
        }
    }

    @Test("metrics count requests by route and result, records, bytes and what the storage does; they hold no secrets")
    func metrics() async throws {
        let token = strong("canary-token")
        try await withAdministration({
            $0.users = [.init(userRecordName: "_canaryuser", webAuthToken: token)]
        }) { client, _, administration in
            var user = client
            user.bearer = token
            user.query = "canaryquery=1"
            try await user.makeZone()
            for name in ["canaryrecord1", "canaryrecord2"] { try await user.save(name, ["canaryfield": .int64(1)]) }
            _ = try await user.page()
            #expect(try await user.raw("/canarypath").status == 404)
            user.bearer = strong("canary-wrong")
            #expect(try await user.raw(.zonesList, "{}").status == 421)
            let text = try await get(client, administration + "/metrics").text
            let lines = Set(text.split(separator: "\n").map(String.init))
            #expect(lines.contains(#"backstitch_requests_total{result="OK",route="records/modify"} 2"#))
            #expect(lines.contains(#"backstitch_requests_total{result="NOT_FOUND",route="unknown"} 1"#))
            #expect(
                lines.contains(#"backstitch_requests_total{result="AUTHENTICATION_REQUIRED",route="zones/list"} 1"#))
            #expect(lines.contains(#"backstitch_request_duration_seconds_count{route="records/modify"} 2"#))
            #expect(lines.contains("backstitch_records_written_total 2"))
            #expect(lines.contains("backstitch_feed_records_total 2"))
            #expect(lines.contains(#"backstitch_work_running{size="small"} 0"#))
            #expect(lines.contains("backstitch_storage_writes_pending 0"))
            #expect(lines.contains(#"backstitch_storage_errors_total{operation="write"} 0"#))
            #expect(text.contains("\nbackstitch_commit_writes_count "))
            #expect(!lines.contains("backstitch_commit_writes_count 0"))
            #expect(!lines.contains("backstitch_received_bytes_total 0"))
            #expect(!lines.contains("backstitch_sent_bytes_total 0"))
            #expect(!text.lowercased().contains("canary"))
            #if os(Linux)
            #expect(text.contains("\nprocess_resident_memory_bytes ") && text.contains("\nprocess_open_fds "))
            #endif
        }
    }

    @Test("assets are counted in bytes, and what their place does")
    func assets() async throws {
        try await withAdministration { client, _, administration in
            try await client.makeZone()
            let url = try await client.saveAsset("A", Array("content".utf8))
            #expect(try await client.send(url, method: .GET).text == "content")
            #expect(try await client.send(url, method: .HEAD).status == 200)
            let text = try await get(client, administration + "/metrics").text
            for (direction, bytes) in [("received", 7), ("sent", 7)] {
                #expect(text.contains("\nbackstitch_asset_bytes_total{direction=\"\(direction)\"} \(bytes)\n"))
            }
            for (operation, count) in [("put", 1), ("get", 1), ("look", 1), ("remove", 0)] {
                let labels = "{operation=\"\(operation)\"}"
                #expect(text.contains("\nbackstitch_asset_store_duration_seconds_count\(labels) \(count)\n"))
                #expect(text.contains("\nbackstitch_asset_store_errors_total\(labels) 0\n"))
            }
        }
    }

    @Test("what is given out at a time is given back: connections, long polls, turns")
    func gauges() async throws {
        try await withAdministration { client, server, administration in
            let made: PushToken = try await client.call(.tokensCreate, PushToken())
            let address = try #require(made.webcourierURL)
            async let poll = client.send("\(address)&wait=30", method: .GET)
            let hub = try #require(server.state.withLock { $0.service }).context.push.hub
            #expect(try await eventually { hub.waiting == 1 })
            let during = try await get(client, administration + "/metrics").text
            #expect(during.contains("\nbackstitch_polls_waiting 1\n"))
            #expect(!during.contains("\nbackstitch_connections_open 0\n"))
            hub.drain()
            #expect(try await poll.status == 200)
            #expect(
                try await eventually {
                    try await get(client, administration + "/metrics").text.contains("\nbackstitch_polls_waiting 0\n")
                })
        }
    }

    @Test("what the storage fails is counted; what it refuses on behalf of the wire is not")
    func storageErrors() async throws {
        try await withAdministration { client, server, administration in
            let storage = try #require(server.state.withLock { $0.service }).context.storage
            await #expect(throws: TestFailure.self) { try await storage.read { _ in throw TestFailure("disk") } }
            await #expect(throws: TestFailure.self) { try await storage.write { _ in throw TestFailure("disk") } }
            await #expect(throws: WireError.self) {
                try await storage.read { _ in throw WireError(.zoneNotFound, "there is none") }
            }
            let text = try await get(client, administration + "/metrics").text
            #expect(text.contains("\nbackstitch_storage_errors_total{operation=\"read\"} 1\n"))
            #expect(text.contains("\nbackstitch_storage_errors_total{operation=\"write\"} 1\n"))
            #expect(text.contains("\nbackstitch_storage_writes_pending 0\n"))
        }
    }

    @Test("while it drains it answers as before, and says at both ports that it is not ready")
    func draining() async throws {
        try await withAdministration({ $0.drainDelay = 3_600 }) { client, server, administration in
            let stopping = Task { try await server.stop() }
            #expect(try await eventually { try await get(client, administration + "/ready").status == 503 })
            let answer = try await get(client, client.base + "/ready")
            #expect(answer.status == 503 && answer.text == #"{"status":"unavailable","reason":"draining"}"#)
            #expect(try await get(client, client.base + "/health").status == 200)
            try await client.makeZone()
            // Load balancers are not waited for by the one who asks again.
            try await server.stop()
            try await stopping.value
            #expect(server.url == nil && server.administrationURL == nil)
        }
    }

    @Test("ports that are no ports, taken or the server's own are told with the option that sets them")
    func mistakes() async throws {
        var configuration = ZoneServerConfiguration(port: 8_080, storage: .memory)
        configuration.administration = .init(port: 8_080)
        #expect(throws: ZoneServerError.self) { try ZoneServer(configuration: configuration) }
        configuration.administration = .init(port: 65_536)
        #expect(throws: ZoneServerError.self) { try ZoneServer(configuration: configuration) }
        try await withServer { client, _ in
            var configuration = ZoneServerConfiguration(port: 0, storage: .memory)
            configuration.containers = .any
            configuration.logger.logLevel = .critical
            configuration.administration = .init(port: try #require(URL(string: client.base)?.port))
            let server = try ZoneServer(configuration: configuration)
            let error = await #expect(throws: ZoneServerError.self) { _ = try await server.start() }
            #expect(error?.code == .addressUnavailable && error?.message.contains("--admin-port") == true)
        }
    }

    @Test("each measure is in the table of Documentation/Operating.md")
    func documented() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Documentation/Operating.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        for measure in ServerMeasure.allCases { #expect(text.contains("| `\(measure.rawValue)` |"), "\(measure)") }
    }
}

/// When a server says that it takes requests.
@Suite struct ReadinessTests {
    /// Milliseconds longer than any check of a storage here, even on a machine that stands still for a while.
    private let patience: Int64 = 3_600_000

    @Test("it is ready from when it serves until it drains, and not again")
    func phases() async {
        let readiness = Readiness(clock: VirtualClock(), limit: patience)
        #expect(await readiness.reason() == .starting)
        readiness.serve {}
        #expect(await readiness.reason() == nil)
        readiness.drain()
        #expect(await readiness.reason() == .draining)
        readiness.serve {}
        #expect(await readiness.reason() == .draining)
    }

    @Test("a storage that does not answer is not waited for, by nobody, and asked once")
    func hangs() async throws {
        let clock = VirtualClock(), readiness = Readiness(clock: clock, limit: 20)
        let (gate, open) = AsyncStream<Void>.makeStream()
        let looks = Locked(0)
        readiness.serve {
            looks.withLock { $0 += 1 }
            for await _ in gate {}
        }
        #expect(await readiness.reason() == .storageIsSlow)
        #expect(try await eventually { looks.withLock { $0 } == 1 })
        clock.advance(by: 21)
        #expect(await readiness.reason() == .storageIsSlow)
        #expect(looks.withLock { $0 } == 1)
        open.finish()
        #expect(try await eventually { await readiness.reason() == nil })
    }

    @Test("a storage that fails is looked at again after a second")
    func fails() async {
        let clock = VirtualClock(), readiness = Readiness(clock: clock, limit: patience)
        let isBroken = Locked(true)
        readiness.serve { if isBroken.withLock({ $0 }) { throw TestFailure("disk") } }
        #expect(await readiness.reason() == .storageFails)
        isBroken.withLock { $0 = false }
        #expect(await readiness.reason() == .storageFails)
        clock.advance(by: 1_000)
        #expect(await readiness.reason() == nil)
    }

    @Test("a look that ends at once is over: the next one begins a second later, and asks the storage again")
    func atOnce() async {
        let clock = VirtualClock(), readiness = Readiness(clock: clock, limit: patience)
        let looks = Locked(0)
        readiness.serve { looks.withLock { $0 += 1 } }
        let rounds = 20_000
        var refused = 0
        for _ in 0..<rounds {
            if await readiness.reason() != nil { refused += 1 }
            clock.advance(by: 1_000)
        }
        #expect(refused == 0 && looks.withLock { $0 } == rounds)
    }

    @Test("many that ask within a second cost one look at the storage")
    func cost() async {
        let clock = VirtualClock(), readiness = Readiness(clock: clock, limit: patience)
        let looks = Locked(0)
        readiness.serve { looks.withLock { $0 += 1 } }
        for _ in 0..<50 { #expect(await readiness.reason() == nil) }
        #expect(looks.withLock { $0 } == 1)
        clock.advance(by: 1_000)
        #expect(await readiness.reason() == nil)
        #expect(looks.withLock { $0 } == 2)
    }
}
