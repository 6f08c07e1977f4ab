import Backstitch
import BackstitchSupport
import CloudWire
import Hummingbird
import NIOCore

/// An admitted request. Its resources are given back when its answer is sent, or can no longer be sent.
final class RequestPass: Sendable {
    private let ledger: UserLedger
    private let user: String
    private let address: String
    private let clock: any WallClock
    private let runner: any WorkRunner
    private let held = Locked<[UserLedger.Thing: Int]>([:])

    /// Admits a request of a user.
    ///
    /// - Parameter address: The machine of the caller.
    /// - Throws: THROTTLED if the user asks too often, or has too many unanswered requests.
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
    /// - Throws: THROTTLED or TRY_AGAIN_LATER if there is no more.
    func hold(_ count: Int, _ thing: UserLedger.Thing) throws(WireError) {
        let before = held.withLock { $0[thing, default: 0] }
        try ledger.take(
            count, thing, of: user, from: address, besides: before, at: clock.uptime())
        held.withLock { $0[thing, default: 0] += count }
    }

    /// The body of the answer. From now on its bytes are held instead of the request's, even if they are more: finished
    /// work is always answered. The pass is kept until the connection has taken the bytes.
    func body(of answer: BoundedAnswer, over channel: any Channel) -> ResponseBody {
        let bytes = ByteBuffer(bytes: answer.bytes)
        exchangeBytes(for: bytes.readableBytes)
        return ResponseBody(contentLength: bytes.readableBytes) { writer in
            try await writer.write(bytes)
            // The end of the body waits for room. Before the connection has taken the bytes, there seems to be room.
            // Without the wait here, an unread answer would be memory without an owner.
            if bytes.readableBytes > Self.fewBytes { try await self.runner.settle(channel) }
            try await writer.finish(nil)
            withExtendedLifetime(self) {}
        }
    }

    /// A channel takes about this many bytes, even if the client reads none.
    private static let fewBytes = 64 << 10

    private func exchangeBytes(for count: Int) {
        let old = held.withLock { held in
            defer { held[.bytes] = count }
            return held[.bytes, default: 0]
        }
        ledger.giveBack(old - count, .bytes, of: user, at: address)
    }
}
