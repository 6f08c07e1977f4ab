import Backstitch
import BackstitchSupport

/// This server's memory of the storage's accounts, tokens and keys. A request with a recently used one costs the
/// storage nothing. Their total number is not limited.
///
/// Only existing values are remembered. A missing value is looked for each time, and found as soon as it exists. A
/// removal or a change counts the storage's revision up. The next ``refresh(at:)`` then forgets the old value. A value
/// is not kept if it was read before a change already known to this server.
final class IdentityCache: Sendable {
    private struct State {
        var revision: Int64 = 0
        var hasAPITokens = false
        var containers: Set<String> = []
        var credentials: GenerationalCache<TokenDigest, StoredCredential>
        var keys: GenerationalCache<String, StoredServerKey>
        /// The end of each bearer's validity, in milliseconds since 1970; 0 for never.
        var ends: GenerationalCache<Bearer, Int64>
        /// The ids of all server-to-server keys, and the uptime in milliseconds of the look for them.
        var keyIDs: (ids: Set<String>, looked: Int64)?
        /// Tokens with a successor made by this server.
        var renewed: GenerationalCache<TokenDigest, Bool>
    }

    /// Most remembered tokens. One takes about 300 bytes.
    private static let most = 65_536

    /// The milliseconds between two reads of all ids of keys.
    private static let keyInterval: Int64 = 1_000

    private let storage: ZoneStorage
    private let state: Locked<State>

    init(_ storage: ZoneStorage, most: Int = IdentityCache.most) {
        self.storage = storage
        state = Locked(
            State(
                credentials: GenerationalCache(limit: most), keys: GenerationalCache(limit: max(most / 16, 2)),
                ends: GenerationalCache(limit: most), renewed: GenerationalCache(limit: most)))
    }

    /// Whether the storage has, or once had, an account, a token, a key or a container of its own.
    var hasIdentities: Bool { state.withLock { $0.revision > 0 } }

    /// Whether there is an API token in the storage.
    var hasAPITokens: Bool { state.withLock { $0.hasAPITokens } }

    /// The containers declared in the storage.
    var containers: Set<String> { state.withLock { $0.containers } }

    /// The number of remembered tokens.
    var count: Int { state.withLock { $0.credentials.count } }

    /// The token with a digest, possibly an expired one; nil for an unknown token.
    func credential(_ digest: TokenDigest) async throws -> StoredCredential? {
        try await value(digest, \.credentials) { try $0.credential(digest) }
    }

    /// The server-to-server key with an id in lower case, possibly an expired one; nil for an unknown key.
    func serverKey(_ id: String) async throws -> StoredServerKey? {
        try await value(id, \.keys) { try $0.serverKey(id) }
    }

    /// Whether the storage has a server-to-server key with an id in lower case. All ids are read at most once a second,
    /// so ids that do not exist cost the storage next to nothing.
    ///
    /// - Parameter uptime: In milliseconds.
    func hasServerKey(_ id: String, at uptime: Int64) async throws -> Bool {
        let (isEmpty, known) = state.withLock { state -> (Bool, Set<String>?) in
            let isFresh = state.keyIDs.map { uptime < $0.looked + Self.keyInterval } ?? false
            if state.revision > 0, !isFresh { state.keyIDs = (state.keyIDs?.ids ?? [], uptime) }
            return (state.revision == 0, isFresh ? state.keyIDs?.ids : nil)
        }
        if isEmpty { return false }
        if let known { return known.contains(id) }
        let ids = Set(try await storage.read { try $0.serverKeyIDs(limit: IdentityLimits.serverKeys) })
        state.withLock { $0.keyIDs = (ids, uptime) }
        return ids.contains(id)
    }

    /// Whether the bearer's token or key is valid. For a bearer without one, any valid one of the user is enough.
    func honours(_ bearer: Bearer, at now: Int64) async throws -> Bool { try await end(of: bearer, at: now) != nil }

    /// The end of a valid token or key in milliseconds since 1970, 0 for never; nil if it is not valid.
    func end(of bearer: Bearer, at now: Int64) async throws -> Int64? {
        let known = state.withLock { $0.ends.use(bearer) }
        if let known, known == 0 || now < known { return known }
        // A user with an expired token may have another one by now, and a token may have been renewed.
        state.withLock { $0.ends.remove(bearer) }
        return try await value(bearer, \.ends) { try $0.end(of: bearer, at: now) }
    }

    /// The remembered value of a key, or the one in the storage.
    private func value<Key: Hashable & Sendable, Value: Sendable>(
        _ key: Key, _ cache: any WritableKeyPath<State, GenerationalCache<Key, Value>> & Sendable,
        _ read: @escaping @Sendable (ZoneSnapshot) throws -> Value?
    ) async throws -> Value? {
        let (isEmpty, known) = state.withLock { ($0.revision == 0, $0[keyPath: cache].use(key)) }
        if isEmpty || known != nil { return known }
        let (found, revision) = try await storage.read { (try read($0), try $0.identityRevision()) }
        guard let found else { return nil }
        state.withLock { if revision >= $0.revision { $0[keyPath: cache].insert(found, for: key) } }
        return found
    }

    /// Whether this server has made a successor of this token.
    func isRenewed(_ digest: TokenDigest) -> Bool { state.withLock { $0.renewed.use(digest) ?? false } }

    func noteRenewal(of digest: TokenDigest) { state.withLock { $0.renewed.insert(true, for: digest) } }

    /// Forgets all accounts, tokens and keys, so each is read from the storage again.
    func forget() {
        state.withLock { state in
            state.credentials.removeAll { _, _ in true }
            state.keys.removeAll { _, _ in true }
            state.ends.removeAll { _, _ in true }
        }
    }

    /// Looks for changes, and forgets outdated values. Without changes it costs one statement.
    ///
    /// - Parameter now: Milliseconds since 1970.
    /// - Returns: the changes; nil for none.
    @discardableResult
    func refresh(at now: Int64) async throws -> IdentityChanges? {
        let known = state.withLock { $0.revision }
        let found = try await storage.read { try $0.identityChanges(after: known, at: now) }
        guard let changes = found else { return nil }
        state.withLock { state in
            let isGone = { (name: String) in changes.accounts.map { $0.contains(ByteText(name)) } ?? true }
            state.credentials.removeAll { isGone($1.account) }
            state.keys.removeAll { isGone($1.account) }
            state.ends.removeAll { bearer, _ in isGone(bearer.user) }
            guard changes.revision > state.revision else { return }
            state.revision = changes.revision
            state.hasAPITokens = changes.hasAPITokens
            state.containers = changes.containers
        }
        return changes
    }
}
