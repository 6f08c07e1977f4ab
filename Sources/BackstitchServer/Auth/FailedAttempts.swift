import Backstitch
import BackstitchSupport
import CloudWire

/// Counts tokens and signatures that were not valid by the address that they came from, so that nobody tries one after
/// another.
///
/// A valid token is never shut out by what others send from the same address. One that a server of the storage has made
/// bears a mark, and counts for itself; one of the configuration is found without a look at the storage, and is not
/// counted at all. A token of another kind goes on being looked at when it was valid before.
final class FailedAttempts: Sendable {
    private struct Entry {
        var count: Int
        /// The uptime at which the count begins anew.
        var end: Int64
    }

    private struct State {
        var entries: [String: Entry] = [:]
        var accepted = GenerationalCache<TokenDigest, Bool>(limit: FailedAttempts.mostAccepted)
    }

    /// Addresses that are counted at a time. Beyond, the ones whose time is over first are forgotten.
    private static let most = 4096
    private static let period: Int64 = 60_000
    /// Tokens that are remembered as valid, those that were used last.
    private static let mostAccepted = 131_072

    private let limit: Int
    private let clock: any WallClock
    private let state = Locked(State())

    init(_ configuration: ZoneServerConfiguration) {
        limit = configuration.failedAttemptsPerMinute
        clock = configuration.clock
    }

    /// Runs `look` unless the address has had too many failures; what `look` gives nil for is one more.
    ///
    /// - Parameter isMade: Whether the token has the mark of the storage's servers. Nobody can make one up, so only
    ///   failures of this one token count for it.
    /// - Throws: THROTTLED, without having looked; what `look` throws.
    func check<Value>(
        _ token: TokenDigest, from address: String, isMade: Bool = false,
        _ look: (TokenDigest) async throws -> Value?
    ) async throws -> Value? {
        let address = isMade ? "token \(token.bytes.hexadecimal)" : address
        try admit(token, from: address)
        let found = try await look(token)
        if found == nil { noteFailure(of: token, from: address) } else { noteSuccess(of: token) }
        return found
    }

    /// - Throws: THROTTLED when the address has had too many failures, unless the token was valid before.
    func admit(_ token: TokenDigest?, from address: String) throws(WireError) {
        let now = clock.uptime()
        let wait: Int64? = state.withLock { state in
            guard let entry = state.entries[address], entry.end > now, entry.count >= limit else { return nil }
            return token.flatMap { state.accepted.use($0) } == true ? nil : entry.end - now
        }
        if let wait {
            throw WireError(
                .throttled, "too many tries with tokens that are not valid", retryAfter: Int((wait + 999) / 1000))
        }
    }

    /// Notes that a token is valid.
    func noteSuccess(of token: TokenDigest) {
        state.withLock { $0.accepted.insert(true, for: token) }
    }

    /// Notes that something from an address was not valid.
    ///
    /// - Parameter token: One that is not valid, though it may have been before.
    func noteFailure(of token: TokenDigest? = nil, from address: String) {
        let now = clock.uptime()
        state.withLock { state in
            if let token { state.accepted.remove(token) }
            Self.note(address, now, &state.entries)
        }
    }

    private static func note(_ address: String, _ now: Int64, _ entries: inout [String: Entry]) {
        if let entry = entries[address], entry.end > now {
            entries[address]?.count += 1
            return
        }
        if entries.count >= most {
            entries = entries.filter { $0.value.end > now }
            if entries.count >= most, let first = entries.min(by: { $0.value.end < $1.value.end }) {
                entries[first.key] = nil
            }
        }
        entries[address] = Entry(count: 1, end: now + period)
    }
}
