import CloudWire

/// The reads of accounts, tokens, keys and containers.
protocol IdentityReading {
    /// The number of changes that servers must know; 0 as long as there never was an account, a token or a container.
    func identityRevision() throws -> Int64
    /// The changes since a revision, or nil when there are none.
    func identityChanges(after revision: Int64, at now: Int64) throws -> IdentityChanges?

    /// The account that has a name as record name or as alias.
    func account(named name: String) throws -> StoredAccount?
    /// The account that has an address.
    func account(addressed address: String) throws -> StoredAccount?
    /// Accounts in the order of their record names, after one of them.
    func accounts(after name: String, limit: Int) throws -> [StoredAccount]
    /// The accounts of record names and addresses that have a token or a key which is honoured.
    ///
    /// - Parameter addresses: As ``People/key(_:)`` writes them.
    func accounts(named names: [String], addresses: [String], at now: Int64) throws -> [StoredAccount]
    /// Until when a token or key is good, or of none in particular the last one of the user: milliseconds since 1970, 0
    /// for ever; nil where it is not good any more.
    func end(of bearer: Bearer, at now: Int64) throws -> Int64?

    /// The token of a digest.
    func credential(_ digest: TokenDigest) throws -> StoredCredential?
    /// The id of the token that was renewed in the place of this one; nil for one that is not known to be replaced, or
    /// that is known until after a time.
    func replacedToken(_ digest: TokenDigest, knownUntil time: Int64) throws -> String?
    /// Tokens of a kind in the order of their ids, after one of them; of an account, or of all. Of those that were made
    /// one in place of another the last.
    func credentials(
        _ kind: StoredCredential.Kind, of account: String?, after id: String, limit: Int
    ) throws -> [StoredCredential]
    /// How many tokens of a kind are honoured, those that one is made in place of another counted as one.
    func credentialCount(_ kind: StoredCredential.Kind, of account: String, at now: Int64) throws -> Int

    /// The server-to-server key of an id.
    func serverKey(_ id: String) throws -> StoredServerKey?
    /// Keys in the order of their ids, after one of them.
    func serverKeys(after id: String, limit: Int) throws -> [StoredServerKey]
    /// How many keys there are.
    func serverKeyCount() throws -> Int
    /// The containers that were declared, by name.
    func declaredContainers() throws -> [StoredContainer]
}

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
