import Backstitch
import BackstitchSupport
import CloudWire

/// Counts invalid tokens and signatures by the caller's address, against guessing by trial.
///
/// Failures from the same address never shut out a valid token. A token made by a server of the storage bears a mark,
/// and is counted by itself. A token of the configuration is found without a read of the storage, and is not counted.
/// After too many failures, any other token is still looked up if it was valid before.
final class FailedAttempts: Sendable {
    private struct Entry {
        var count: Int
        /// The uptime at the end of this count, in milliseconds.
        var end: Int64
    }

    private struct State {
        var entries: [String: Entry] = [:]
        var accepted = GenerationalCache<TokenDigest, Bool>(limit: FailedAttempts.mostAccepted)
    }

    /// Most addresses counted at a time. Beyond that, the count with the earliest end is forgotten.
    private static let most = 4096
    private static let period: Int64 = 60_000
    /// Most tokens remembered as valid. The recently used ones are kept.
    private static let mostAccepted = 131_072

    private let limit: Int
    private let clock: any WallClock
    private let state = Locked(State())

    init(_ configuration: ZoneServerConfiguration) {
        limit = configuration.failedAttemptsPerMinute
        clock = configuration.clock
    }

    /// Runs `look` unless the address has too many failures. A nil from `look` counts as one more failure.
    ///
    /// - Parameter isMade: Whether the token has the mark of the storage's servers. The mark cannot be forged, so only
    ///   failures of this one token count against it.
    /// - Throws: THROTTLED, without a call of `look`; otherwise the error of `look`.
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

    /// Refuses an address after too many failures.
    ///
    /// - Throws: THROTTLED, unless the token was valid before.
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

    /// Remembers a token as valid.
    func noteSuccess(of token: TokenDigest) {
        state.withLock { $0.accepted.insert(true, for: token) }
    }

    /// Counts an invalid token or signature from an address.
    ///
    /// - Parameter token: The invalid token, if any. It is no longer remembered as valid.
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
