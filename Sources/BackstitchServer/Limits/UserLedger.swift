import Backstitch
import BackstitchSupport
import CloudWire

/// The activity of each user now: requests that are answered, bytes that are held for them, assets that come in.
///
/// It knows nothing of what is stored, and forgets a user who does nothing.
final class UserLedger: Sendable {
    /// Something of which a user may have so much at a time.
    enum Thing: Hashable, Sendable {
        case requests, bytes, uploads
    }

    fileprivate struct Account {
        var held: [Thing: Int] = [:]
        var rate: TokenBucket
        /// Bytes of assets that came in, by the minute after which no record can take them any more.
        var uploaded: [Int64: Int] = [:]

        func isIdle(at now: Int64) -> Bool {
            held.values.allSatisfy { $0 == 0 } && uploaded.isEmpty && rate.isFull(at: now)
        }
    }

    fileprivate struct State {
        var accounts: [String: Account] = [:]
        /// At how many accounts idle ones are looked for next.
        var nextSweep = 1_000
        /// Bytes that are held for all users.
        var bytes = 0
    }

    private let quotas: UserQuotas
    private let bytesOfAll: Int
    private let state = Locked(State())

    /// - Parameter bytesOfAll: Bytes of requests and answers of all users that are held at the same time.
    init(_ quotas: UserQuotas, bytesOfAll: Int) {
        self.quotas = quotas
        self.bytesOfAll = bytesOfAll
    }

    /// Counts a request.
    ///
    /// - Throws: THROTTLED when the user asks more often than is allowed.
    func countRequest(of user: String, at now: Int64) throws(WireError) {
        let wait = state.withLock { state in
            state.sweep(at: now)
            return state.accounts[user, default: account(at: now)].rate.take(at: now)
        }
        guard let wait else { return }
        throw WireError(
            .throttled, "a user may make \(quotas.requestsPerSecond) requests a second; wait \(wait) s",
            retryAfter: wait)
    }

    /// How much of something the user has now.
    func held(_ thing: Thing, of user: String) -> Int {
        state.withLock { $0.accounts[user]?.held[thing] ?? 0 }
    }

    /// Notes that the user has so much more of something.
    ///
    /// - Throws: THROTTLED when that is more than is allowed, TRY_AGAIN_LATER when all users together have too much.
    ///   Nothing is noted then.
    func take(_ count: Int, _ thing: Thing, of user: String, at now: Int64) throws(WireError) {
        let limit = limit(of: thing)
        let (held, all) = state.withLock { state -> (Int, Int) in
            let held = state.accounts[user, default: account(at: now)].held[thing, default: 0] + count
            let all = thing == .bytes ? state.bytes + count : 0
            // One alone is always let in: how large it may be others say.
            guard held <= limit || held == count, all <= bytesOfAll || all == count else { return (held, all) }
            state.accounts[user, default: account(at: now)].held[thing] = held
            if thing == .bytes { state.bytes = all }
            return (0, 0)
        }
        if held > limit {
            throw WireError(
                .throttled, "a user may have \(limit) \(thing) at a time; wait for the others to end", retryAfter: 1)
        }
        if all > bytesOfAll {
            throw WireError(.tryAgainLater, "the server is busy with large requests", retryAfter: 2)
        }
    }

    /// Notes that the user has so much less of something.
    func giveBack(_ count: Int, _ thing: Thing, of user: String) {
        state.withLock { state in
            state.accounts[user]?.held[thing, default: 0] -= count
            if thing == .bytes { state.bytes -= count }
        }
    }

    /// Notes the bytes of an asset that came in, until a record may have taken them.
    func noteUpload(_ bytes: Int, of user: String, until expires: Int64, at now: Int64) {
        state.withLock { state in
            let minute = expires / 60_000 + 1
            state.accounts[user, default: account(at: now)].uploaded[minute, default: 0] += bytes
        }
    }

    /// Bytes of assets that came in and that a record may take still.
    func uploadedBytes(of user: String, at now: Int64) -> Int {
        state.withLock { state in
            state.accounts[user]?.forget(before: now)
            return state.accounts[user]?.uploaded.values.reduce(0, +) ?? 0
        }
    }

    private func account(at now: Int64) -> Account {
        Account(rate: TokenBucket(perSecond: quotas.requestsPerSecond, at: now))
    }

    private func limit(of thing: Thing) -> Int {
        switch thing {
        case .requests: quotas.requestsAtOnce
        case .bytes: quotas.bytesAtOnce
        case .uploads: quotas.uploads
        }
    }
}

extension UserLedger.Account {
    fileprivate mutating func forget(before now: Int64) {
        if !uploaded.isEmpty { uploaded = uploaded.filter { $0.key > now / 60_000 } }
    }
}

extension UserLedger.State {
    /// Forgets users who do nothing, when there are twice as many as after the last time.
    fileprivate mutating func sweep(at now: Int64) {
        guard accounts.count >= nextSweep else { return }
        for user in accounts.keys { accounts[user]?.forget(before: now) }
        accounts = accounts.filter { !$0.value.isIdle(at: now) }
        nextSweep = max(1_000, 2 * accounts.count)
    }
}
