import Backstitch
import BackstitchSupport
import BackstitchTestKit
import CloudWire
import Foundation
import NIOCore
import NIOHTTP1
import TestSupport
import Testing

@testable import BackstitchServer

/// People and time servers set a machine's clock. This must make no wait longer or shorter: only the elapsed time
/// counts.
@Suite("a wall clock that jumps")
struct ClockJumpTests {
    static let jumps: [Int64] = [-86_400_000, -3_600_000, 3_600_000, 86_400_000]

    @Test("a long poll ends after its time", arguments: jumps)
    func poll(_ jump: Int64) async throws {
        let clock = VirtualClock(), hub = PushHub(clock: clock)
        let token = PushTokenKey(tenantID: 1, digest: TokenDigest(of: "t"))
        let poll = hub.begin(for: token, milliseconds: 5_000)
        let answer = Task { await hub.next(poll) }
        defer { answer.cancel() }
        #expect(try await eventually { hub.waiting == 1 })
        clock.jump(by: jump)
        #expect(hub.endOverdue())
        clock.advance(by: 4_999)
        #expect(hub.endOverdue())
        clock.advance(by: 1)
        #expect(!hub.endOverdue())
    }

    @Test("a mailbox is kept for its time, and the storage is told of it in its time", arguments: jumps)
    func mailbox(_ jump: Int64) {
        let clock = VirtualClock(), hub = PushHub(clock: clock)
        let token = PushTokenKey(tenantID: 1, digest: TokenDigest(of: "t"))
        hub.open(token, with: [])
        #expect(hub.takeUsed(interval: 1_000) == [token])
        clock.jump(by: jump)
        #expect(hub.takeUsed(interval: 1_000).isEmpty)
        hub.forget(unusedFor: 2_000)
        #expect(hub.knows(token))
        clock.advance(by: 1_000)
        #expect(hub.takeUsed(interval: 1_000) == [token])
        clock.advance(by: 1_001)
        hub.forget(unusedFor: 2_000)
        #expect(!hub.knows(token))
    }

    @Test("an address is let in again a minute after its first failure", arguments: jumps)
    func failures(_ jump: Int64) throws {
        let clock = VirtualClock()
        var configuration = ZoneServerConfiguration(port: 0, storage: .memory)
        configuration.clock = clock
        configuration.failedAttemptsPerMinute = 2
        let attempts = FailedAttempts(configuration)
        for _ in 0..<2 { attempts.noteFailure(from: "a") }
        clock.jump(by: jump)
        let refusal = #expect(throws: WireError.self) { try attempts.admit(TokenDigest(of: "x"), from: "a") }
        #expect(refusal?.retryAfter == 60)
        clock.advance(by: 59_999)
        #expect(throws: WireError.self) { try attempts.admit(TokenDigest(of: "x"), from: "a") }
        clock.advance(by: 1)
        try attempts.admit(TokenDigest(of: "x"), from: "a")
    }

    @Test("a user's requests and uploads count for their time", arguments: jumps)
    func ledger(_ jump: Int64) throws {
        let clock = VirtualClock()
        var quotas = UserQuotas()
        quotas.requestsPerSecond = 2
        let ledger = UserLedger(quotas, bytesOfAll: 1_000)
        let reception = RequestAdmission(ledger: ledger, clock: clock)
        for _ in 0..<20 { try reception.count("u") }
        ledger.noteUpload(7, of: "u", for: 120_000, at: clock.uptime())
        clock.jump(by: jump)
        let refusal = #expect(throws: WireError.self) { try reception.count("u") }
        #expect(refusal?.retryAfter == 1)
        #expect(ledger.uploadedBytes(of: "u", at: clock.uptime()) == 7)
        clock.advance(by: 500)
        try reception.count("u")
        #expect(throws: WireError.self) { try reception.admit("u", from: "a") }
        clock.advance(by: 119_499)
        #expect(ledger.uploadedBytes(of: "u", at: clock.uptime()) == 7)
        // Uploads are counted by the minute.
        clock.advance(by: 60_001)
        #expect(ledger.uploadedBytes(of: "u", at: clock.uptime()) == 0)
    }

    @Test("the storage is looked at again after a second", arguments: jumps)
    func readiness(_ jump: Int64) async {
        let clock = VirtualClock(), readiness = Readiness(clock: clock), looks = Locked(0)
        readiness.serve { looks.withLock { $0 += 1 } }
        #expect(await readiness.reason() == nil)
        clock.jump(by: jump)
        clock.advance(by: 999)
        #expect(await readiness.reason() == nil)
        #expect(looks.withLock { $0 } == 1)
        clock.advance(by: 1)
        #expect(await readiness.reason() == nil)
        #expect(looks.withLock { $0 } == 2)
    }

    @Test("assets are looked through once a day", arguments: jumps)
    func sweep(_ jump: Int64) {
        let clock = VirtualClock(), sweep = DailySweep()
        #expect(sweep.begins(at: clock.uptime()))
        clock.jump(by: jump)
        clock.advance(by: DailySweep.day - 1)
        #expect(!sweep.begins(at: clock.uptime()))
        clock.advance(by: 1)
        #expect(sweep.begins(at: clock.uptime()))
    }

    /// The machine's clock, whose wall time is set back and forth.
    private final class SetClock: WallClock {
        private let offset = Locked<Int64>(0)

        func milliseconds() -> Int64 { SystemClock().milliseconds() + offset.withLock { $0 } }
        func uptime() -> Int64 { SystemClock().uptime() }
        func sleep(untilUptime time: Int64) async throws { try await SystemClock().sleep(untilUptime: time) }
        func jump(by milliseconds: Int64) { offset.withLock { $0 += milliseconds } }
    }

    @Test("a poll, a body that stops and a throttled user of a running server wait no longer and no shorter")
    func server() async throws {
        let clock = SetClock()
        try await withServer({
            $0.clock = clock
            $0.bodyTimeout = 1
            $0.bodyPace.grace = .seconds(1)
        }) { client, _ in
            try await client.makeZone()
            let token = try await client.call(
                .tokensCreate, PushToken(apnsEnvironment: "development"), as: PushToken.self)
            let address = "\(client.base)/aps?tok=\(token.apnsToken ?? "")&wait=1"
            let start = ContinuousClock.now
            async let poll = client.send(address, method: .GET)
            async let body: Void = {
                let connection = try RawConnection(client.base)
                try await connection.send(
                    "POST /database/1/iCloud.test/development/private/zones/list HTTP/1.1\r\nHost: localhost\r\n"
                        + "Content-Length: 20\r\n\r\n{")
                _ = try await connection.readToEnd(within: 20)
            }()
            for jump in Self.jumps + [-7_200_000] {
                clock.jump(by: jump)
                try await client.save("r\(jump)")
                try await SystemClock().sleep(milliseconds: 100)
            }
            let answer = try await poll
            #expect(answer.status == 200 && answer.body.isEmpty)
            #expect((.milliseconds(990)..<(.seconds(20))).contains(ContinuousClock.now - start))
            try await body
            #expect(ContinuousClock.now - start < .seconds(20))
        }
    }
}
