import Backstitch
import BackstitchSupport

/// The accounts, tokens, keys and containers in a storage, as programs that may change them see them: the
/// administration of a running server, a command that has opened the storage, and signing in.
///
/// ```swift
/// let account = try await identities.addUser(.init(alias: "ada"))
/// let made = try await identities.addToken(.init(user: "ada", days: 14))
/// print(made.secret)      // the only time that anybody sees it
/// ```
///
/// A change is one transaction, which tells the other servers of the storage what they must forget. With a token or key
/// the push tokens go, in the same transaction, that were made by it.
package struct Identities: Sendable {
    /// The consequences of a change outside of the storage's tables of accounts.
    struct Effects: Sendable {
        /// Accounts of which servers may remember something that holds no more; empty for what is no user's.
        var accounts: Set<ByteText> = []
        /// Push tokens that have gone.
        var pushTokens: [PushTokenKey] = []
    }

    let storage: any ZoneStorage
    let clock: any WallClock
    let random: any ServerRandom
    /// Whether a token or key is honoured that is none of the storage.
    let isConfigured: @Sendable (Bearer) -> Bool
    /// Told of each change after its commit.
    let didChange: @Sendable (Effects) async -> Void

    /// Milliseconds since 1970.
    var now: Int64 { clock.milliseconds() }

    /// A secret of 256 random bits, with the storage's mark.
    func secret() -> String {
        TokenSigner(secret: storage.secret).token(of: random.bytes(TokenSigner.secretLength))
    }

    /// A name for a token: 16 hexadecimal digits.
    func tokenID() -> String { random.bytes(8).hexadecimal }

    /// A record name of CloudKit's form: `_` and 32 hexadecimal digits.
    func recordName() -> String { "_" + random.bytes(16).hexadecimal }

    /// Changes something, and sees to the consequences.
    ///
    /// - Parameter body: Notes in its second argument the accounts of which servers may remember what holds no more.
    func change<Value: Sendable>(
        _ body: @escaping @Sendable (any ZoneWriting, inout Effects) throws -> Value
    ) async throws -> Value {
        try await changeUnlocked { writing, effects in
            try writing.lockIdentity()
            return try body(writing, &effects)
        }
    }

    /// The same for a change that locks the tables of accounts itself, where it has to.
    func changeUnlocked<Value: Sendable>(
        _ body: @escaping @Sendable (any ZoneWriting, inout Effects) throws -> Value
    ) async throws -> Value {
        let now = now
        let (value, effects) = try await storage.write { [isConfigured] writing in
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
}
