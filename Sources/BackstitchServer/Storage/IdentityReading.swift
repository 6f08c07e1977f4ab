import CloudWire

/// The reads of accounts, tokens, keys and containers.
protocol IdentityReading {
    /// The number of the last change of identities. It is 0 until the first account, token or container is made.
    /// Servers compare it to notice each other's changes.
    func identityRevision() throws -> Int64
    /// The changes since a revision, or nil when there are none.
    func identityChanges(after revision: Int64, at now: Int64) throws -> IdentityChanges?

    /// The account with this record name or alias.
    func account(named name: String) throws -> StoredAccount?
    /// The account with this mail address.
    func account(addressed address: String) throws -> StoredAccount?
    /// A page of accounts in the order of their record names, after `name`.
    func accounts(after name: String, limit: Int) throws -> [StoredAccount]
    /// The accounts with these record names and addresses, if they have a valid token or key.
    ///
    /// - Parameter addresses: As ``People/key(_:)`` writes them.
    func accounts(named names: [String], addresses: [String], at now: Int64) throws -> [StoredAccount]
    /// The end of a token or key in milliseconds since 1970; 0 if it never ends, nil if it is no longer valid.
    ///
    /// If `bearer` names no token or key, this is the latest end among all tokens and keys of the user.
    func end(of bearer: Bearer, at now: Int64) throws -> Int64?

    /// The token with this digest, valid or not; nil if there is none.
    func credential(_ digest: TokenDigest) throws -> StoredCredential?
    /// The id of the token that replaced this one by renewal.
    ///
    /// It is nil if no replacement is noted, or if the note is kept beyond `time`.
    func replacedToken(_ digest: TokenDigest, knownUntil time: Int64) throws -> String?
    /// A page of tokens of a kind in the order of their ids, after `id`.
    ///
    /// A renewed token has the id of the token before it; only the newest of one id is listed.
    ///
    /// - Parameter account: The account of the tokens; nil for the tokens of all accounts.
    func credentials(
        _ kind: StoredCredential.Kind, of account: String?, after id: String, limit: Int
    ) throws -> [StoredCredential]
    /// The number of valid tokens of a kind. A token and its renewals have one id and count once.
    func credentialCount(_ kind: StoredCredential.Kind, of account: String, at now: Int64) throws -> Int

    /// The server-to-server key with this id.
    func serverKey(_ id: String) throws -> StoredServerKey?
    /// A page of server-to-server keys in the order of their ids, after `id`.
    func serverKeys(after id: String, limit: Int) throws -> [StoredServerKey]
    /// The number of server-to-server keys in the storage.
    func serverKeyCount() throws -> Int
    /// The declared containers in the order of their names.
    func declaredContainers() throws -> [StoredContainer]
}
