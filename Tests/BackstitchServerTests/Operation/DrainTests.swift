import BackstitchSupport
import BackstitchTestKit
import CloudWire
import Foundation
import Logging
import NIOHTTP1
import TestSupport
import Testing

@testable import BackstitchServer

/// The end of a server: as a process that a service manager stops, and within a program.
@Suite("draining", .timeLimit(.minutes(5))) struct DrainTests {
    private static let modify = "/database/1/iCloud.test/development/private/records/modify"

    /// A server in a process of its own, with the address of its administration.
    private func withProcess(
        _ arguments: [String] = [], _ body: (ServerProcess, TestClient, _ administration: String) async throws -> Void
    ) async throws {
        try await withFolder { folder in
            let server = try await BlockingWork.run {
                try ServerProcess(storage: folder, ["--admin-port", "0"] + arguments)
            }
            defer { if server.process.isRunning { server.process.kill() } }
            let line = try #require(try await server.process.nextLine())
            let administration = try #require(line.split(separator: " ").last { $0.hasPrefix("http://") })
            try await body(server, TestClient(base: server.url), String(administration))
        }
    }

    /// Sends the head and a part of a push, and waits until the server has read it.
    private func begin(_ client: TestClient, _ administration: String, _ body: String) async throws -> RawConnection {
        let connection = try RawConnection(client.base)
        try await connection.send(
            "POST \(Self.modify) HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
                + body.prefix(10))
        #expect(try await eventually { try await received(client, administration) >= 10 })
        return connection
    }

    private func received(_ client: TestClient, _ administration: String) async throws -> Int {
        let text = try await client.send(administration + "/metrics", method: .GET).text
        let line = text.split(separator: "\n").first { $0.hasPrefix("backstitch_received_bytes_total ") }
        return line.flatMap { Int($0.split(separator: " ")[1]) } ?? 0
    }

    private func push(_ name: String) -> String {
        #"{"operations":[{"operationType":"create","record":{"recordName":"\#(name)","recordType":"Item","fields":{}}}]}"#
    }

    @Test("a request that has begun is answered, a long poll ends at once, nobody else comes in, and the status is 0")
    func drains() async throws {
        try await withProcess { server, client, administration in
            let body = push("late")
            let connection = try await begin(client, administration, body)
            defer { connection.end() }
            let made: PushToken = try await client.call(.tokensCreate, PushToken())
            let address = "\(try #require(made.webcourierURL))&wait=60"
            async let poll = client.send(address, method: .GET)
            #expect(
                try await eventually {
                    try await client.send(administration + "/metrics", method: .GET).text
                        .contains("\nbackstitch_polls_waiting 1\n")
                })
            let metrics = try await client.send(administration + "/metrics", method: .GET).text
            #expect(metrics.contains("\nbackstitch_commit_writes_count "))
            #expect(!metrics.contains("\nbackstitch_commit_sync_seconds_count 0\n"))
            server.process.send(SIGTERM)
            let answer = try await poll
            #expect(answer.status == 200 && answer.body.isEmpty)
            #expect(try await eventually { Socket(to: .port(server.port)) == nil })
            let ready = try await client.send(administration + "/ready", method: .GET)
            #expect(ready.status == 503 && ready.text.contains("draining"))
            try await connection.send(String(body.dropFirst(10)))
            let end = try await connection.readToEnd(within: 60)
            #expect(end.hasPrefix("HTTP/1.1 200") && end.contains("\"late\""))
            #expect(try await server.process.ended().status == 0)
        }
    }

    @Test("pushes that were acknowledged while it ended are there when it is started again")
    func losesNothing() async throws {
        try await withFolder { folder in
            let server = try await BlockingWork.run { try ServerProcess(storage: folder) }
            let client = TestClient(base: server.url)
            try await client.makeZone()
            let acknowledged = Locked<[String]>([])
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<4 {
                    group.addTask {
                        for number in 0... {
                            let name = "\(writer)-\(number)"
                            do { try await client.save(name) } catch { return }
                            acknowledged.withLock { $0.append(name) }
                        }
                    }
                }
                #expect(try await eventually { acknowledged.withLock { $0.count } >= 20 })
                server.process.send(SIGTERM)
                #expect(try await server.process.ended().status == 0)
                // A client would go on looking for a server.
                group.cancelAll()
                try await group.waitForAll()
            }
            let again = try await BlockingWork.run { try ServerProcess(storage: folder) }
            let records = try await TestClient(base: again.url).follow().records
            #expect(Set(acknowledged.withLock { $0 }).isSubset(of: records.map(\.recordName)))
            #expect(try await BlockingWork.run { again.process.stop() } == 0)
        }
    }

    @Test("with --drain-seconds it goes on meanwhile and says that it is not ready; a second signal ends it at once")
    func secondSignal() async throws {
        try await withProcess(["--drain-seconds", "3600"]) { server, client, administration in
            server.process.send(SIGTERM)
            #expect(
                try await eventually {
                    try await client.send(client.base + "/ready", method: .GET).status == 503
                })
            try await client.makeZone()
            server.process.send(SIGTERM)
            #expect(try await server.process.ended().status == 128 + SIGTERM)
        }
    }

    @Test("a signal that comes while it waits for a store of assets ends it at once")
    func startingSignal() async throws {
        let store = try Listener(at: .port(0))
        defer { store.stop() }
        let asked = Locked<[Socket]>([])
        store.forEachConnection { socket in asked.withLock { $0.append(socket) } }
        try await withFolder { folder in
            let server = try TestProcess(
                "backstitch",
                [
                    "serve", "--port", "0", "--storage", folder.path, "--any-container", "--until-input-ends",
                    "--assets", "s3://assets/zones", "--s3-endpoint", "\(try store.url)",
                ], environment: ["AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret"], errors: .discarded)
            defer { if server.isRunning { server.kill() } }
            #expect(try await eventually { asked.withLock { !$0.isEmpty } })
            server.send(SIGTERM)
            #expect(try await server.ended().status == 128 + SIGTERM)
        }
    }

    @Test("the log tells who ended it, what ran then, and how long that took")
    func words() async throws {
        try await withFolder { folder in
            let server = try TestProcess(
                "backstitch", ["serve", "--port", "0", "--storage", folder.path, "--any-container"],
                errors: .withOutput)
            defer { if server.isRunning { server.kill() } }
            while let line = try await server.nextLine(), !line.contains("serves at") {}
            server.send(SIGTERM)
            let lines = try await server.remainingLines()
            #expect(lines.contains { $0.contains("cause=SIGTERM") && $0.contains("serve ends") }, "\(lines)")
            #expect(lines.contains { $0.contains("requests=0") && $0.contains("the server ends") }, "\(lines)")
            #expect(lines.contains { $0.contains("seconds=") && $0.contains("the server has ended") }, "\(lines)")
            #expect(try await server.ended().status == 0)
        }
    }

    @Test("a request that does not end within the grace is cut and told so, and that is no failure of stopping")
    func cut() async throws {
        let lines = Locked<[String]>([])
        try await withServer({
            $0.shutdownGrace = 1
            $0.logger = Logger(label: "test") { _ in LineLog(lines: lines) }
        }) { client, server in
            let connection = try RawConnection(client.base)
            defer { connection.end() }
            try await connection.send(
                "POST \(Self.modify) HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")
            let ledger = try #require(server.state.withLock { $0.service }).context.ledger
            #expect(try await eventually { ledger.held(.requests, of: Authenticator.developmentUser) == 1 })
            try await server.stop()
            let end = try await connection.readToEnd(within: 60)
            #expect(!end.hasPrefix("HTTP/1.1 200"))
            let told = lines.withLock { $0 }
            #expect(told.contains { $0.contains("the server ends") && $0.contains(#""requests": 1"#) })
            #expect(told.contains { $0.contains("has ended") && $0.contains(#""cut": 1"#) })
        }
    }
}
