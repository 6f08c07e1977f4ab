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
/// A change is one transaction, which tells the other servers of the storage what they must forget. When a user has no
/// token and no key any more, the user's push tokens go in the same transaction.
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
    /// Whether a user has a token beside those of the storage.
    let isConfigured: @Sendable (String) -> Bool
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
        let now = now
        let (value, effects) = try await storage.write { [isConfigured] writing in
            try writing.lockIdentity()
            var effects = Effects()
            let before = try writing.identityRevision()
            let value = try body(writing, &effects)
            for account in effects.accounts.map(\.string).sorted() {
                if !account.isEmpty, !isConfigured(account), try writing.end(ofUser: account, at: now) == nil {
                    effects.pushTokens += try writing.removePushTokens(of: account)
                }
                try writing.noteIdentityChange(of: account, at: now)
            }
            if before == 0, effects.accounts.isEmpty {
                effects.accounts = [ByteText("")]
                try writing.noteIdentities(at: now)
            }
            return (value, effects)
        }
        if !effects.accounts.isEmpty { await didChange(effects) }
        return value
    }
}
