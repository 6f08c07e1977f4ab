import Backstitch
import BackstitchSupport
import BackstitchTestKit
import CloudWire
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import BackstitchServer

/// One user does the worst that the wire allows, on all routes at once. The server stays small, and another user is
/// served in time.
///
/// `make hostile MINUTES=10` does it for longer, with the relevant figures. Without it the test is short, beside other
/// tests.
@Suite(.serialized) struct HostileLoadTests {
    private static let minutes = ProcessInfo.processInfo.environment["BACKSTITCH_HOSTILE_MINUTES"].flatMap(Double.init)
    private static let seed = ProcessInfo.processInfo.environment["BACKSTITCH_SEED"].flatMap(UInt64.init) ?? 20_261_122

    @Test("under a hostile load of all routes the server stays small, and others are served in time")
    func hostile() async throws {
        try await withFolder { folder in
            let server = try await BlockingWork.run { try ServerProcess(storage: folder.appending(path: "zones")) }
            do {
                try await load(server)
            } catch {
                _ = server.process.stop()
                throw error
            }
            #expect(server.process.isRunning)
            #expect(server.process.stop() == 0)
        }
    }

    private func load(_ server: ServerProcess) async throws {
        let client = TestClient(base: server.url).extended()
        let mallory = client.user("mallory")
        let guest = client.user("eve")
        let prey = try await Attack.prepare(mallory, guest: guest)
        let alice = client.user("alice")
        try await alice.makeZone()
        let end = ContinuousClock.now + .seconds((Self.minutes ?? 0.3) * 60)
        let strikes = Locked<[Int: Int]>([:])
        let cuts = Locked(0)
        var times: [Duration] = []
        try await withThrowingTaskGroup(of: [Duration].self) { group in
            for attacker in 0..<12 {
                group.addTask {
                    var attack = Attack(
                        client: mallory, guest: guest, prey: prey,
                        random: SeededGenerator(seed: Self.seed &+ UInt64(attacker)))
                    while ContinuousClock.now < end {
                        let kind = attack.random.below(Attack.kinds)
                        // A connection that the server cut is as good as an answer.
                        do { try await attack.strike(kind) } catch { cuts.withLock { $0 += 1 } }
                        strikes.withLock { $0[kind, default: 0] += 1 }
                    }
                    return []
                }
            }
            group.addTask { try await Self.work(alice, until: end) }
            for try await part in group { times += part }
        }
        times.sort()
        let slow = times[min(times.count * 99 / 100, times.count - 1)]
        let memory = try server.process.memory()
        print(
            "counted: hostile load, seed \(Self.seed): \(strikes.withLock { $0.values.reduce(0, +) }) requests of "
                + "\(strikes.withLock { $0.count }) kinds (\(cuts.withLock { $0 }) cut), \(times.count) of another user with p50 "
                + "\(times[times.count / 2]), p99 \(slow), most \(times[times.count - 1]); memory \(memory >> 20) MB")
        #expect(strikes.withLock { $0.count } == Attack.kinds || Self.minutes == nil)
        #expect(memory <= 300 << 20)
        #expect(slow <= (Self.minutes == nil ? .seconds(10) : .seconds(1)))
    }

    /// A user who saves, reads and looks up, a little at a time. Returns the duration of each request.
    private static func work(_ client: TestClient, until end: ContinuousClock.Instant) async throws -> [Duration] {
        var times: [Duration] = []
        var token: String?
        var number = 0
        func timed<Value>(_ body: () async throws -> Value) async throws -> Value {
            let start = ContinuousClock.now
            defer { times.append(ContinuousClock.now - start) }
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
            try await Task.sleep(for: .milliseconds(20))
        }
        return times
    }
}
