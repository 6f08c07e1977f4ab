import Backstitch
import BackstitchSupport
import BackstitchTestKit
import CloudWire
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import BackstitchServer

/// One user does the worst that the wire allows, on all routes at once. Then strangers do so. The server stays small,
/// and another user is served in time.
///
/// `make hostile MINUTES=10` does it for longer and on both databases, with the relevant figures. Without it the tests
/// are short, beside other tests.
@Suite(.serialized) struct HostileLoadTests {
    private static let minutes = ProcessInfo.processInfo.environment["BACKSTITCH_HOSTILE_MINUTES"].flatMap(Double.init)
    private static let storages = minutes == nil ? [StorageKind.directory] : StorageKind.allCases

    @Test(
        "under a hostile load of all routes the server stays small, and others are served in time", arguments: storages)
    func hostile(_ kind: StorageKind) async throws {
        try await withProcess(on: kind) { try await load($0, kind) }
    }

    @Test("no stranger makes another's request wait", arguments: storages)
    func strangers(_ kind: StorageKind) async throws {
        let tokens = ["BACKSTITCH_USERS": "_alice:\(strong("alice"))", "BACKSTITCH_API_TOKENS": strong("api")]
        try await withProcess(on: kind, tokens) { attacked in
            try await withProcess(on: kind, tokens) { spared in try await strangers(attacked, beside: spared, kind) }
        }
    }

    private func withProcess(
        on kind: StorageKind, _ environment: [String: String] = [:], _ body: (ServerProcess) async throws -> Void
    ) async throws {
        try await withFolder { folder in
            let postgres = kind == .postgreSQL ? try await onThread { try PostgresServer() } : nil
            defer { postgres?.stop() }
            let place =
                postgres.map { ["--database", $0.url.absoluteString, "--assets"] } ?? ["--storage"]
            let arguments = place + [folder.appending(path: "zones").path, "--any-container"]
            let server = try await onThread { try ServerProcess(arguments, environment: environment) }
            do {
                try await body(server)
            } catch {
                _ = server.process.stop()
                throw error
            }
            #expect(server.process.isRunning)
            #expect(server.process.stop() == 0)
        }
    }

    /// The user of a server that knows the tokens of this test.
    private func user(of server: ServerProcess) async throws -> TestClient {
        var alice = TestClient(base: server.url)
        alice.bearer = strong("alice")
        try await alice.makeZone()
        return alice
    }

    /// Strangers attack from a machine each. The user's machine has none of them.
    ///
    /// - Parameter spared: A server that they do not attack. The same user works there at the same time. If a request
    ///   waits there too, this machine was busy with something else.
    private func strangers(_ server: ServerProcess, beside spared: ServerProcess, _ kind: StorageKind) async throws {
        let seed = SeededGenerator.seed()
        print("counted: strangers on \(kind), seed \(seed)")
        let alice = try await user(of: server), control = try await user(of: spared)
        let end = ContinuousClock.now + .seconds((Self.minutes ?? 0.3) * 60)
        let strikes = Locked<[Int: Int]>([:])
        async let controlled = Self.work(control, until: end, comesAnew: true)
        let waits = try await withThrowingTaskGroup(of: Void.self) { group in
            for attacker in 0..<12 {
                group.addTask {
                    var stranger = Stranger(
                        base: server.url, apiToken: strong("api"), machine: UInt8(2 + attacker),
                        random: SeededGenerator(seed: seed &+ UInt64(attacker)))
                    while ContinuousClock.now < end {
                        let kind = stranger.random.below(Stranger.kinds)
                        // A connection that the server cut is as good as an answer.
                        do { try await stranger.strike(kind) } catch { strikes.withLock { $0[-1, default: 0] += 1 } }
                        strikes.withLock { $0[kind, default: 0] += 1 }
                    }
                }
            }
            // A strike that is still under way may take long.
            defer { group.cancelAll() }
            return try await Self.work(alice, until: end, comesAnew: true)
        }
        let others = try await controlled
        let times = waits.map(\.time).sorted()
        let (counts, memory) = (strikes.withLock { $0 }, try server.process.memory())
        let most = try #require(times.last), mostOfOthers = try #require(others.map(\.time).max())
        print(
            "counted: strangers on \(kind), seed \(seed): \(counts.filter { $0.key >= 0 }.values.reduce(0, +)) strikes "
                + "(\(counts[-1] ?? 0) cut), \(times.count) requests of a user with p50 \(times[times.count / 2]), p99 "
                + "\(times[times.count * 99 / 100]), most \(most), and \(mostOfOthers) on a server without strangers; "
                + "memory \(memory >> 20) MB")
        let kinds = counts.keys.filter { $0 >= 0 }.count
        #expect(kinds == Stranger.kinds || Self.minutes == nil)
        #expect(memory <= 300 << 20)
        let longest = Duration.milliseconds(Self.minutes == nil ? 10_000 : 500)
        let long = waits.filter { wait in
            wait.time > longest && !others.contains { $0.overlaps(wait) && $0.time > longest / 2 }
        }
        #expect(long.isEmpty, "\(long.map(\.time))")
    }

    /// A request of the user.
    private struct Wait {
        var start: ContinuousClock.Instant
        var time: Duration

        func overlaps(_ other: Wait) -> Bool { start < other.start + other.time && other.start < start + time }
    }

    private func load(_ server: ServerProcess, _ kind: StorageKind) async throws {
        let seed = SeededGenerator.seed()
        print("counted: hostile load on \(kind), seed \(seed)")
        let client = TestClient(base: server.url).extended()
        let mallory = client.user("mallory")
        let guest = client.user("eve")
        let prey = try await Attack.prepare(mallory, guest: guest, isLong: Self.minutes != nil)
        let alice = client.user("alice")
        try await alice.makeZone()
        let end = ContinuousClock.now + .seconds((Self.minutes ?? 0.3) * 60)
        let strikes = Locked<[Int: Int]>([:])
        let cuts = Locked(0)
        let waits = try await withThrowingTaskGroup(of: Void.self) { group in
            for attacker in 0..<12 {
                group.addTask {
                    var attack = Attack(
                        client: mallory, guest: guest, prey: prey,
                        random: SeededGenerator(seed: seed &+ UInt64(attacker)))
                    while ContinuousClock.now < end {
                        let kind = attack.random.below(Attack.kinds)
                        // A connection that the server cut is as good as an answer.
                        do { try await attack.strike(kind) } catch { cuts.withLock { $0 += 1 } }
                        strikes.withLock { $0[kind, default: 0] += 1 }
                    }
                }
            }
            defer { group.cancelAll() }
            return try await Self.work(alice, until: end)
        }
        let times = waits.map(\.time).sorted()
        let slow = times[min(times.count * 99 / 100, times.count - 1)]
        let memory = try server.process.memory()
        print(
            "counted: hostile load on \(kind), seed \(seed): \(strikes.withLock { $0.values.reduce(0, +) }) requests of "
                + "\(strikes.withLock { $0.count }) kinds (\(cuts.withLock { $0 }) cut), \(times.count) of another user with p50 "
                + "\(times[times.count / 2]), p99 \(slow), most \(times[times.count - 1]); memory \(memory >> 20) MB")
        #expect(strikes.withLock { $0.count } == Attack.kinds || Self.minutes == nil)
        #expect(memory <= 300 << 20)
        #expect(slow <= (Self.minutes == nil ? .seconds(10) : .seconds(1)))
    }

    /// Asks on a new connection whether the server is well.
    private static func lookIn(at base: String) async throws {
        let connection = try await RawConnection.opened(base)
        defer { connection.end() }
        try await connection.send("GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        #expect(try await connection.readToEnd(within: 30).hasPrefix("HTTP/1.1 200"))
    }

    /// A user who saves, reads and looks up, a little at a time. Returns each request.
    ///
    /// - Parameter comesAnew: Whether a new connection is made each time, too.
    private static func work(
        _ client: TestClient, until end: ContinuousClock.Instant, comesAnew: Bool = false
    ) async throws -> [Wait] {
        var waits: [Wait] = []
        var token: String?
        var number = 0
        func timed<Value>(_ body: () async throws -> Value) async throws -> Value {
            let start = ContinuousClock.now
            defer { waits.append(Wait(start: start, time: ContinuousClock.now - start)) }
            return try await body()
        }
        while ContinuousClock.now < end {
            number += 1
            _ = try await timed { try await client.save("note \(number)", ["n": .int64(Int64(number))]) }
            let page = try await timed { try await client.page(token) }
            token = page.syncToken
            #expect(page.records.map(\.recordName) == ["note \(number)"])
            let found = try await timed { try await client.lookup(["note \(number)"]) }
            #expect(found[0].error == nil)
            if comesAnew { try await timed { try await Self.lookIn(at: client.base) } }
            try await Task.sleep(for: .milliseconds(20))
        }
        return waits
    }
}
