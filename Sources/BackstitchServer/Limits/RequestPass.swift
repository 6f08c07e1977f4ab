import Backstitch
import BackstitchSupport
import CloudWire
import Hummingbird
import NIOCore

/// A request that was let in. Resources held for it are given back when its answer is sent, or can no longer be.
final class RequestPass: Sendable {
    private let ledger: UserLedger
    private let user: String
    private let address: String
    private let clock: any WallClock
    private let runner: any WorkRunner
    private let held = Locked<[UserLedger.Thing: Int]>([:])

    /// - Parameter address: Where the request comes from.
    /// - Throws: THROTTLED when the user asks too often, or has too many requests that are answered.
    init(
        _ user: String, from address: String, _ ledger: UserLedger, clock: any WallClock, runner: any WorkRunner
    ) throws(WireError) {
        self.ledger = ledger
        self.user = user
        self.address = address
        self.clock = clock
        self.runner = runner
        try ledger.countRequest(of: user, at: clock.uptime())
        try hold(1, .requests)
    }

    deinit {
        for (thing, count) in held.withLock({ $0 }) { ledger.giveBack(count, thing, of: user, at: address) }
    }

    /// Holds more of something for this request.
    ///
    /// - Throws: THROTTLED or TRY_AGAIN_LATER when there is no more.
    func hold(_ count: Int, _ thing: UserLedger.Thing) throws(WireError) {
        let before = held.withLock { $0[thing, default: 0] }
        try ledger.take(
            count, thing, of: user, from: address, besides: before, at: clock.uptime())
        held.withLock { $0[thing, default: 0] += count }
    }

    /// The bytes of the answer, which are held from now on instead of those of the request, even if they are more: what
    /// was done is answered. The pass is kept until the connection has taken them.
    func body(of answer: BoundedAnswer, over channel: any Channel) -> ResponseBody {
        let bytes = ByteBuffer(bytes: answer.bytes)
        exchangeBytes(for: bytes.readableBytes)
        return ResponseBody(contentLength: bytes.readableBytes) { writer in
            try await writer.write(bytes)
            // The end waits while there is no room for it. Before the connection has taken the bytes there seems to be
            // some: an answer that nobody reads would be memory that counts for nobody.
            if bytes.readableBytes > Self.fewBytes { try await self.runner.settle(channel) }
            try await writer.finish(nil)
            withExtendedLifetime(self) {}
        }
    }

    /// A channel takes about so many, whether anybody reads them or not.
    private static let fewBytes = 64 << 10

    private func exchangeBytes(for count: Int) {
        let old = held.withLock { held in
            defer { held[.bytes] = count }
            return held[.bytes, default: 0]
        }
        ledger.giveBack(old - count, .bytes, of: user, at: address)
    }
}
