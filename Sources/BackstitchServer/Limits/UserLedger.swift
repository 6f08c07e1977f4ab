import Backstitch
import BackstitchSupport
import CloudWire

/// The current activity of each user: unanswered requests, the bytes held for them, and uploads.
///
/// While less than half of the room for bytes is taken, each user has the full quota. The other half is for users with
/// few bytes. There one user gets at most an eighth of all in total. At an address with a quarter of all, a user gets
/// at most a 128th. So a few accounts, or one machine with many, leave room for all others.
///
/// The ledger knows nothing about stored data, and forgets an inactive user. All its times are uptimes.
final class UserLedger: Sendable {
    /// A resource with a limit for each user.
    enum Thing: Hashable, Sendable {
        case requests, bytes, uploads
    }

    fileprivate struct Account {
        var held: [Thing: Int] = [:]
        var rate: TokenBucket
        /// Bytes of uploaded assets, by the minute of their end. After it no record can take them any more.
        var uploaded: [Int64: Int] = [:]

        func isIdle(at now: Int64) -> Bool {
            held.values.allSatisfy { $0 == 0 } && uploaded.isEmpty && rate.isFull(at: now)
        }
    }

    fileprivate struct State {
        var accounts: [String: Account] = [:]
        /// The number of accounts at which idle ones are looked for next.
        var nextSweep = 1_000
        /// Bytes held for all users together. `addresses` has them for each address.
        var bytes = 0
        var addresses: [String: Int] = [:]
    }

    /// The reason for a refusal.
    private enum Refusal {
        case user, all, shareOfUser, shareOfAddress
    }

    private let quotas: UserQuotas
    private let bytesOfAll: Int
    private let state = Locked(State())

    /// - Parameter bytesOfAll: Most bytes of requests and answers held at the same time, for all users together.
    init(_ quotas: UserQuotas, bytesOfAll: Int) {
        self.quotas = quotas
        self.bytesOfAll = bytesOfAll
    }

    /// Counts a request against the rate of the user.
    ///
    /// - Throws: THROTTLED if the user asks too often.
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

    /// The amount of something held for the user now.
    func held(_ thing: Thing, of user: String) -> Int {
        state.withLock { $0.accounts[user]?.held[thing] ?? 0 }
    }

    /// Adds to the amount of something held for the user.
    ///
    /// - Parameter address: The machine of the caller.
    /// - Parameter before: The amount held for the same request already.
    /// - Throws: THROTTLED if this user may not have more, TRY_AGAIN_LATER if all users together have too much. Nothing
    ///   is noted then.
    func take(
        _ count: Int, _ thing: Thing, of user: String, from address: String, besides before: Int, at now: Int64
    ) throws(WireError) {
        let limit = limit(of: thing)
        let refusal: Refusal? = state.withLock { state in
            let held = state.accounts[user, default: account(at: now)].held[thing, default: 0] + count
            // A request is always let in if it is the only one. Other checks limit its size.
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

    /// The reason to refuse further bytes; nil if there is room for them.
    ///
    /// - Parameter held: The bytes of the user including these.
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

    /// Takes from the amount of something held for the user.
    func giveBack(_ count: Int, _ thing: Thing, of user: String, at address: String) {
        state.withLock { state in
            state.accounts[user]?.held[thing, default: 0] -= count
            guard thing == .bytes else { return }
            state.bytes -= count
            state.addresses[address, default: 0] -= count
            if state.addresses[address] == 0 { state.addresses[address] = nil }
        }
    }

    /// Notes the bytes of an uploaded asset, for as long as a record may take them.
    ///
    /// - Parameter life: Milliseconds until no record can take them any more.
    func noteUpload(_ bytes: Int, of user: String, for life: Int64, at now: Int64) {
        state.withLock { state in
            let minute = (now + life) / 60_000 + 1
            state.accounts[user, default: account(at: now)].uploaded[minute, default: 0] += bytes
        }
    }

    /// Bytes of uploaded assets that a record may still take.
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
    /// Forgets idle users, when there are twice as many accounts as after the last time.
    fileprivate mutating func sweep(at now: Int64) {
        guard accounts.count >= nextSweep else { return }
        for user in accounts.keys { accounts[user]?.forget(before: now) }
        accounts = accounts.filter { !$0.value.isIdle(at: now) }
        nextSweep = max(1_000, 2 * accounts.count)
    }
}
