import Backstitch
import BackstitchSupport
import CloudWire

/// The activity of each user now: requests that are answered, bytes that are held for them, assets that come in.
///
/// While less than half of the room for bytes is taken, each user has as much as the quota allows. The other half is
/// for those who hold little: there a user gets no more than an eighth of all in total, and nobody gets more than a
/// sliver at an address that holds a quarter. So a few accounts, or one machine with many, leave room for all others.
///
/// It knows nothing of what is stored, and forgets a user who does nothing. All its times are uptimes.
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
        /// Bytes that are held for all users, and for those of each address.
        var bytes = 0
        var addresses: [String: Int] = [:]
    }

    /// Why something is refused.
    private enum Refusal {
        case user, all, shareOfUser, shareOfAddress
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
    /// - Parameters:
    ///   - address: The machine that asks.
    ///   - before: How much of it the same request has already.
    /// - Throws: THROTTLED when that is more than is allowed, TRY_AGAIN_LATER when all users together have too much.
    ///   Nothing is noted then.
    func take(
        _ count: Int, _ thing: Thing, of user: String, from address: String, besides before: Int, at now: Int64
    ) throws(WireError) {
        let limit = limit(of: thing)
        let refusal: Refusal? = state.withLock { state in
            let held = state.accounts[user, default: account(at: now)].held[thing, default: 0] + count
            // One alone is always let in: how large it may be others say.
            if held > limit, held > before + count { return .user }
            if thing == .bytes {
                if let reason = reason(count, held: held, at: address, besides: before, state) { return reason }
                state.bytes += count
                state.addresses[address, default: 0] += count
            }
            state.accounts[user, default: account(at: now)].held[thing] = held
            return nil
        }
        switch refusal {
        case .user:
            throw WireError(
                .throttled, "a user may have \(limit) \(thing) at a time; wait for the others to end", retryAfter: 1)
        case .shareOfUser:
            throw WireError(
                .throttled, "the server is busy, and a user may have \(bytesOfAll / 8) bytes at a time meanwhile",
                retryAfter: 2)
        case .shareOfAddress:
            throw WireError(
                .throttled, "the server is busy, and an address may have \(bytesOfAll / 4) bytes at a time meanwhile",
                retryAfter: 2)
        case .all: throw WireError(.tryAgainLater, "the server is busy with large requests", retryAfter: 2)
        case nil: break
        }
    }

    /// Why further bytes are refused; nil when there is room for them.
    ///
    /// - Parameter held: What the user has with them.
    private func reason(
        _ count: Int, held: Int, at address: String, besides before: Int, _ state: State
    ) -> Refusal? {
        let all = state.bytes + count
        if all == before + count { return nil }
        if all > bytesOfAll { return .all }
        if all <= bytesOfAll / 2 || held <= bytesOfAll / 128 { return nil }
        if held > bytesOfAll / 8 { return .shareOfUser }
        return state.addresses[address, default: 0] + count > bytesOfAll / 4 ? .shareOfAddress : nil
    }

    /// Notes that the user has so much less of something.
    func giveBack(_ count: Int, _ thing: Thing, of user: String, at address: String) {
        state.withLock { state in
            state.accounts[user]?.held[thing, default: 0] -= count
            guard thing == .bytes else { return }
            state.bytes -= count
            state.addresses[address, default: 0] -= count
            if state.addresses[address] == 0 { state.addresses[address] = nil }
        }
    }

    /// Notes the bytes of an asset that came in, for as long as a record may take them.
    ///
    /// - Parameter life: Milliseconds until no record can take them any more.
    func noteUpload(_ bytes: Int, of user: String, for life: Int64, at now: Int64) {
        state.withLock { state in
            let minute = (now + life) / 60_000 + 1
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
