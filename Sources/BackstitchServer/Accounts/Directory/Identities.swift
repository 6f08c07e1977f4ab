import Backstitch
import BackstitchSupport

/// The accounts, tokens, keys and containers in a storage, for programs with the right to change them. Such programs
/// are a running server's administration, a command with an open storage, and the sign-in.
///
/// ```swift
/// let account = try await identities.addUser(.init(alias: "ada"))
/// let made = try await identities.addToken(.init(user: "ada", days: 14))
/// print(made.secret)      // the only time that anybody sees it
/// ```
///
/// A change is one transaction. It also makes the other servers of the storage forget outdated values. When a token or
/// key is removed, the push tokens made with it are removed in the same transaction.
package struct Identities: Sendable {
    /// The consequences of a change outside the storage's tables of accounts.
    struct Effects: Sendable {
        /// Accounts with values that servers may remember wrongly. The empty name means values of no user.
        var accounts: Set<ByteText> = []
        /// Push tokens removed by the change.
        var pushTokens: [PushTokenKey] = []
    }

    let storage: ZoneStorage
    let clock: any WallClock
    let random: any ServerRandom
    /// Whether the configuration honours a token or key, besides the storage.
    let isConfigured: @Sendable (Bearer) -> Bool
    /// Called after the commit of each change.
    let didChange: @Sendable (Effects) async -> Void

    /// The time, in milliseconds since 1970.
    var now: Int64 { clock.milliseconds() }

    /// A secret of 256 random bits, with the storage's mark.
    func secret() -> String {
        TokenSigner(secret: storage.secret).token(of: random.bytes(TokenSigner.secretLength))
    }

    /// A name for a token: 16 hexadecimal digits.
    func tokenID() -> String { random.bytes(8).hexadecimal }

    /// A record name of CloudKit's form: `_` and 32 hexadecimal digits.
    func recordName() -> String { "_" + random.bytes(16).hexadecimal }

    /// Makes a change under the lock of the tables of accounts, and sees to its consequences.
    ///
    /// - Parameters:
    ///   - frees: Whether it only removes or revokes, so a full disk does not prevent it.
    ///   - body: Makes the change. Its second argument collects the accounts with outdated values in servers' memories.
    func change<Value: Sendable>(
        frees: Bool = false, _ body: @escaping @Sendable (ZoneTransaction, inout Effects) throws -> Value
    ) async throws -> Value {
        try await changeUnlocked(frees: frees) { writing, effects in
            try writing.lockIdentity()
            return try body(writing, &effects)
        }
    }

    /// The same for a change that takes the lock itself if it needs it.
    func changeUnlocked<Value: Sendable>(
        frees: Bool = false, _ body: @escaping @Sendable (ZoneTransaction, inout Effects) throws -> Value
    ) async throws -> Value {
        let now = now
        let (value, effects) = try await storage.write(frees: frees) { [isConfigured] writing in
            var effects = Effects()
            let value = try body(writing, &effects)
            for account in effects.accounts.map(\.string).sorted() {
                if !account.isEmpty {
                    let ended = try writing.endedBearers(of: account, at: now)
                    effects.pushTokens += try writing.removePushTokens(of: ended.filter { !isConfigured($0) })
                }
                try writing.noteIdentityChange(of: account, at: now)
            }
            if effects.accounts.isEmpty, try writing.identityRevision() == 0 {
                effects.accounts = [ByteText("")]
                try writing.noteIdentities(at: now)
            }
            return (value, effects)
        }
        if !effects.accounts.isEmpty { await didChange(effects) }
        return value
    }

    /// A token's lifetime in milliseconds.
    ///
    /// - Throws: ``IdentityError`` for less than a minute or more than ten years.
    static func milliseconds(_ lifetime: Duration) throws(IdentityError) -> Int64 {
        guard lifetime >= .seconds(60), lifetime <= .seconds(3_660 * 86_400) else {
            throw IdentityError(.invalid, "a token must be valid for at least a minute and at most ten years")
        }
        return lifetime.components.seconds * 1_000
    }
}
