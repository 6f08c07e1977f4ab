import Backstitch
import BackstitchSupport
import CloudWire
import Hummingbird
import NIOCore

/// A request that was let in. Resources held for it are given back when its answer is sent, or can no longer be.
final class RequestPass: Sendable {
    private let ledger: UserLedger
    private let user: String
    private let clock: any WallClock
    private let held = Locked<[UserLedger.Thing: Int]>([:])

    /// - Throws: THROTTLED when the user asks too often, or has too many requests that are answered.
    init(_ user: String, _ ledger: UserLedger, clock: any WallClock) throws(WireError) {
        self.ledger = ledger
        self.user = user
        self.clock = clock
        try ledger.countRequest(of: user, at: clock.milliseconds())
        try hold(1, .requests)
    }

    deinit {
        for (thing, count) in held.withLock({ $0 }) { ledger.giveBack(count, thing, of: user) }
    }

    /// Holds more of something for this request.
    ///
    /// - Throws: THROTTLED or TRY_AGAIN_LATER when there is no more.
    func hold(_ count: Int, _ thing: UserLedger.Thing) throws(WireError) {
        try ledger.take(count, thing, of: user, at: clock.milliseconds())
        held.withLock { $0[thing, default: 0] += count }
    }

    /// Holds the bytes of the answer instead of those of the request, even if they are more: what was done is answered.
    func exchangeBytes(for count: Int) {
        let old = held.withLock { held in
            defer { held[.bytes] = count }
            return held[.bytes, default: 0]
        }
        ledger.giveBack(old - count, .bytes, of: user)
    }

    /// The answer, for whose bytes the pass is kept until they are sent.
    func keep(until response: Response) -> Response {
        guard let length = response.body.contentLength, length > 0 else { return response }
        var kept = response
        let body = response.body
        kept.body = ResponseBody(contentLength: length) { writer in
            try await body.write(writer)
            withExtendedLifetime(self) {}
        }
        return kept
    }
}
