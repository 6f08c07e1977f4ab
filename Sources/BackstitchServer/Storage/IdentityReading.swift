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
