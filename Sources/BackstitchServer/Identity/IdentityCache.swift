import Backstitch
import BackstitchSupport

/// The accounts, tokens and keys of the storage as this server remembers them, so that a request costs the storage
/// nothing: those that were asked for of late, of any number that there are.
///
/// Only what is there is remembered: what is not is looked for each time, and found as soon as it is there. What goes,
/// or becomes another, counts the storage's revision up and is forgotten at the next ``refresh(at:)``. An answer that
/// was read before a change which this server knows already is not kept.
final class IdentityCache: Sendable {
    private struct State {
        var revision: Int64 = 0
        var hasAPITokens = false
        var containers: Set<String> = []
        var credentials: GenerationalCache<TokenDigest, StoredCredential>
        var keys: GenerationalCache<String, StoredServerKey>
        /// Until when tokens and keys are good, and users have any.
        var ends: GenerationalCache<Bearer, Int64>
        /// Tokens in whose place others were made.
        var renewed: GenerationalCache<TokenDigest, Bool>
    }

    /// Most tokens that are remembered; one takes some 300 bytes.
    private static let most = 65_536

    private let storage: any ZoneStorage
    private let state: Locked<State>

    init(_ storage: any ZoneStorage, most: Int = IdentityCache.most) {
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

    /// The containers that were declared in the storage.
    var containers: Set<String> { state.withLock { $0.containers } }

    /// How many tokens are remembered.
    var count: Int { state.withLock { $0.credentials.count } }

    /// The token of a digest, which may have ended; nil for one that is not known.
    func credential(_ digest: TokenDigest) async throws -> StoredCredential? {
        try await value(digest, \.credentials) { try $0.credential(digest) }
    }

    /// The server-to-server key of an id in lower case, which may have ended.
    func serverKey(_ id: String) async throws -> StoredServerKey? {
        try await value(id, \.keys) { try $0.serverKey(id) }
    }

    /// Whether a token or key is honoured, or of none in particular any one of the user's.
    func honours(_ bearer: Bearer, at now: Int64) async throws -> Bool {
        let known = state.withLock { $0.ends.use(bearer) }
        if let known, known == 0 || now < known { return true }
        // A user who had a token that has ended may have another one since, and a token may have been renewed.
        state.withLock { $0.ends.remove(bearer) }
        return try await value(bearer, \.ends) { try $0.end(of: bearer, at: now) } != nil
    }

    /// The remembered value of a key, or the one in the storage.
    private func value<Key: Hashable & Sendable, Value: Sendable>(
        _ key: Key, _ cache: any WritableKeyPath<State, GenerationalCache<Key, Value>> & Sendable,
        _ read: @escaping @Sendable (any ZoneReading) throws -> Value?
    ) async throws -> Value? {
        let (isEmpty, known) = state.withLock { ($0.revision == 0, $0[keyPath: cache].use(key)) }
        if isEmpty || known != nil { return known }
        let (found, revision) = try await storage.read { (try read($0), try $0.identityRevision()) }
        guard let found else { return nil }
        state.withLock { if revision >= $0.revision { $0[keyPath: cache].insert(found, for: key) } }
        return found
    }

    /// Whether this server has made a token in place of this one.
    func isRenewed(_ digest: TokenDigest) -> Bool { state.withLock { $0.renewed.use(digest) ?? false } }

    func noteRenewal(of digest: TokenDigest) { state.withLock { $0.renewed.insert(true, for: digest) } }

    /// Forgets all accounts, tokens and keys, so that the storage is asked for each.
    func forget() {
        state.withLock { state in
            state.credentials.removeAll { _, _ in true }
            state.keys.removeAll { _, _ in true }
            state.ends.removeAll { _, _ in true }
        }
    }

    /// Looks for changes, by one statement where there are none, and forgets what has become wrong by them.
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
