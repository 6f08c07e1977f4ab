import CloudWire

/// The writes of accounts, tokens, keys and containers.
protocol IdentityWriting: IdentityReading {
    /// Holds back other writers of accounts until the transaction ends.
    func lockIdentity() throws
    /// Counts a change of an account that other servers must know. Called last: it holds others back.
    func noteIdentityChange(of account: String, at now: Int64) throws
    /// Notes that there are identities, so that no server goes on to let everybody in.
    func noteIdentities(at now: Int64) throws
    /// Forgets a piece of the changes before a time; false when none is left. A server that has not looked since then
    /// forgets all that it remembers.
    func removeIdentityChanges(before time: Int64, limit: Int) throws -> Bool

    /// The account of who signs in at a provider, which nobody removes before the transaction ends.
    func account(issuer: String, subject: String) throws -> StoredAccount?
    /// Adds an account.
    func insert(_ account: StoredAccount) throws
    /// Changes an account, but not its name.
    func update(_ account: StoredAccount) throws
    /// Removes an account with its tokens and keys, and what binds it to providers.
    func removeAccount(named name: String) throws
    /// Binds an account to a user of a provider.
    func bind(issuer: String, subject: String, to account: String, at now: Int64) throws

    /// Adds a token; false when it is there already.
    @discardableResult
    func insert(_ credential: StoredCredential) throws -> Bool
    /// Removes the tokens of an id, and gives them.
    func removeCredentials(_ kind: StoredCredential.Kind, id: String) throws -> [StoredCredential]
    /// Removes the tokens of a user beyond a number of ids, the oldest first; gives how many rows.
    func removeOldestCredentials(of account: String, beyond count: Int) throws -> Int
    /// Notes that a token was used that is in place of another, which is honoured until `end` and no longer, and known
    /// as replaced until `forgotten`.
    func retire(replacedBy next: StoredCredential, at end: Int64, until forgotten: Int64) throws
    /// Forgets a piece of the tokens that were replaced and are known until before a time; false when none is left.
    func removeReplacedTokens(endedBefore time: Int64, limit: Int) throws -> Bool
    /// Forgets a piece of the tokens that have ended before a time; false when none is left.
    func removeCredentials(endedBefore time: Int64, limit: Int) throws -> Bool

    /// Adds a server-to-server key.
    func insert(_ key: StoredServerKey) throws
    /// Removes a server-to-server key; false when there was none.
    func removeServerKey(_ id: String) throws -> Bool
    /// Declares a container.
    func insert(_ container: StoredContainer) throws
    /// No longer declares a container; false when nobody had.
    func removeContainer(_ name: String) throws -> Bool

    /// Notes a signature; false when it was noted before.
    func spend(_ mark: [UInt8], of key: String, until end: Int64) throws -> Bool
    /// Forgets a piece of the signatures whose dates no longer hold; false when none is left.
    func removeSpentSignatures(endedBefore time: Int64, limit: Int) throws -> Bool
}
