import CloudWire

/// The writes of accounts, tokens, keys and containers.
protocol IdentityWriting: IdentityReading {
    /// Blocks other writers of accounts until the transaction ends.
    func lockIdentity() throws
    /// Counts a change of an account, so that other servers notice it. Call it last: it blocks other writers of
    /// accounts.
    func noteIdentityChange(of account: String, at now: Int64) throws
    /// Notes that identities exist. From then on no server admits every caller.
    func noteIdentities(at now: Int64) throws
    /// Removes a piece of the list of changes before `time`; false when none is left.
    ///
    /// A server that has not read the list since `time` must drop everything it remembers.
    func removeIdentityChanges(before time: Int64, limit: Int) throws -> Bool

    /// The account bound to a user of a sign-in provider. It cannot be removed before the transaction ends.
    func account(issuer: String, subject: String) throws -> StoredAccount?
    /// Adds an account. Its record name, alias and address must be free.
    func insert(_ account: StoredAccount) throws
    /// Changes an account, but never its record name.
    func update(_ account: StoredAccount) throws
    /// Removes an account, its tokens, its keys and its bindings to providers.
    func removeAccount(named name: String) throws
    /// Binds an account to a user of a sign-in provider.
    func bind(issuer: String, subject: String, to account: String, at now: Int64) throws

    /// Adds a token; false if a token with the same digest exists.
    @discardableResult
    func insert(_ credential: StoredCredential) throws -> Bool
    /// Removes all tokens with this id, and returns them.
    func removeCredentials(_ kind: StoredCredential.Kind, id: String) throws -> [StoredCredential]
    /// Keeps the tokens of the `count` newest ids of a user, and removes the older ones. Returns the number of removed
    /// rows.
    func removeOldestCredentials(of account: String, beyond count: Int) throws -> Int
    /// Notes the first use of a renewed token.
    ///
    /// The token before it is valid until `end` at most. The storage knows it as replaced until `forgotten`.
    func retire(replacedBy next: StoredCredential, at end: Int64, until forgotten: Int64) throws
    /// Removes a piece of the notes about replaced tokens, if they were kept until before `time`; false when none is
    /// left.
    func removeReplacedTokens(endedBefore time: Int64, limit: Int) throws -> Bool
    /// Removes a piece of the tokens that ended before `time`; false when none is left.
    func removeCredentials(endedBefore time: Int64, limit: Int) throws -> Bool

    /// Adds a server-to-server key, which belongs to an account.
    func insert(_ key: StoredServerKey) throws
    /// Removes a server-to-server key; false if there was none.
    func removeServerKey(_ id: String) throws -> Bool
    /// Declares a container, so that servers accept it.
    func insert(_ container: StoredContainer) throws
    /// Removes the declaration of a container; false if it was not declared.
    func removeContainer(_ name: String) throws -> Bool

    /// Notes a signature as used; false if it was used before.
    func spend(_ mark: [UInt8], of key: String, until end: Int64) throws -> Bool
    /// Removes a piece of the used signatures whose dates are no longer accepted; false when none is left.
    func removeSpentSignatures(endedBefore time: Int64, limit: Int) throws -> Bool
}
