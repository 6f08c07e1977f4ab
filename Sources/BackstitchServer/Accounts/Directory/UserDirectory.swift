import Backstitch
import BackstitchSupport
import CloudWire
import Foundation

/// The valid tokens and keys of the configuration and of the storage. Both can change while the server runs.
final class UserDirectory: Sendable {
    /// The owner of a token, and the token's rights.
    struct Holder: Sendable {
        var userRecordName: String
        var isReadOnly: Bool
        /// The token's row in the storage; nil for a token of the configuration.
        var credential: StoredCredential?
    }

    private struct State {
        var apiTokens: [TokenDigest]
        var users: [ZoneServerConfiguration.User]
        var serverKeys: [String: ZoneServerConfiguration.ServerKey]
        var people: FindableUsers

        init(
            _ apiTokens: [TokenDigest], _ users: [ZoneServerConfiguration.User],
            _ serverKeys: [ZoneServerConfiguration.ServerKey]
        ) {
            self.apiTokens = apiTokens
            self.users = users
            self.serverKeys = Dictionary(serverKeys.map { ($0.keyID, $0) }, uniquingKeysWith: { first, _ in first })
            people = FindableUsers(users)
        }
    }

    let stored: IdentityCache
    private let clock: any WallClock
    private let configuration: ZoneServerConfiguration
    private let storage: ZoneStorage
    private let state: Locked<State>

    init(_ configuration: ZoneServerConfiguration, _ storage: ZoneStorage) {
        self.storage = storage
        stored = IdentityCache(storage)
        clock = configuration.clock
        self.configuration = configuration
        state = Locked(State(configuration.apiTokens, configuration.users, configuration.serverKeys))
    }

    /// Whether any caller is let in under any name. Always false once the storage has accounts.
    var isDevelopment: Bool { configuration.isDevelopment && !stored.hasIdentities }

    func replace(
        apiTokens: [TokenDigest], users: [ZoneServerConfiguration.User],
        serverKeys: [ZoneServerConfiguration.ServerKey]
    ) {
        let next = State(apiTokens, users, serverKeys)
        state.withLock { $0 = next }
    }

    /// Whether a container is served, because the configuration or an administrator declared it.
    func serves(_ container: String) -> Bool {
        // A development container open to all is no longer served once the storage has accounts.
        let isDeclared = stored.containers.contains(container)
        return isDeclared || configuration.serves(container) && (configuration.containers != nil || isDevelopment)
    }

    var needsAPIToken: Bool { state.withLock { !$0.apiTokens.isEmpty } || stored.hasAPITokens }

    /// Whether this is a token of the configuration.
    func isConfigured(_ token: TokenDigest) -> Bool {
        let (known, users) = state.withLock { ($0.apiTokens, $0.users) }
        let isProgram = known.hasMatch(token), isUser = users.lazy.map(\.token).hasMatch(token)
        return isProgram || isUser
    }

    /// Whether a token is an API token valid for a container.
    ///
    /// - Throws: the storage's error, if the token is not in this server's memory.
    func isAPIToken(_ token: TokenDigest, for container: String) async throws -> Bool {
        let known = state.withLock { $0.apiTokens }
        if known.hasMatch(token) { return true }
        guard let found = try await stored.credential(token), found.kind == .api else { return false }
        return found.isHonoured(at: clock.milliseconds()) && ["", container].contains(found.container)
    }

    /// Whether a token of the storage is a valid one of an administrator.
    ///
    /// - Throws: the storage's error, if the token is not in this server's memory.
    func isAdministrators(_ token: TokenDigest) async throws -> Bool {
        guard let found = try await stored.credential(token), found.kind == .administrator else { return false }
        return found.isHonoured(at: clock.milliseconds())
    }

    /// The owner of a token; nil for an unknown or expired one.
    ///
    /// - Throws: the storage's error, if the token is not in this server's memory.
    func holder(of token: TokenDigest) async throws -> Holder? {
        let users = state.withLock { $0.users }
        var configured: ZoneServerConfiguration.User?
        for user in users where user.token.matches(token) { configured = user }
        if let configured {
            guard isCurrent(configured.expires) else { return nil }
            return Holder(userRecordName: configured.userRecordName, isReadOnly: configured.isReadOnly)
        }
        guard let found = try await stored.credential(token), found.kind == .web,
            found.isHonoured(at: clock.milliseconds())
        else { return nil }
        return Holder(userRecordName: found.account, isReadOnly: found.isReadOnly, credential: found)
    }

    /// The server-to-server key with an ID; nil if it is unknown, expired, or not for the container.
    ///
    /// - Throws: the storage's error, if the key is not in this server's memory.
    func serverKey(_ keyID: String, for container: String) async throws -> ZoneServerConfiguration.ServerKey? {
        let id = keyID.asciiLowercased
        var key = state.withLock { $0.serverKeys[id] }
        if key == nil, id.utf8.count == 64 { key = try await stored.serverKey(id)?.key() }
        guard let key, isCurrent(key.expires) else { return nil }
        return key.containers.map { $0.contains(container) } ?? true ? key : nil
    }

    /// Whether there is a server-to-server key with an ID, valid or not. The answer may be a second old.
    ///
    /// - Throws: the storage's error.
    func hasServerKey(_ keyID: String) async throws -> Bool {
        let id = keyID.asciiLowercased
        if state.withLock({ $0.serverKeys[id] != nil }) { return true }
        return id.utf8.count == 64 ? try await stored.hasServerKey(id, at: clock.uptime()) : false
    }

    /// Whether a user has any valid token or key. Without one, everything given to the user ends.
    ///
    /// - Throws: the storage's error, if the user is not in this server's memory.
    func knows(_ name: String) async throws -> Bool { try await honours(Bearer(user: name)) }

    /// Whether the bearer's token or key is still valid.
    ///
    /// - Throws: the storage's error, if the token or key is not in this server's memory.
    func honours(_ bearer: Bearer) async throws -> Bool {
        if isConfigured(bearer) { return true }
        return try await stored.honours(bearer, at: clock.milliseconds())
    }

    /// The milliseconds until the bearer's token or key ends; the maximum if it has no end, 0 if it is not valid.
    ///
    /// - Throws: the storage's error, if the token or key is not in this server's memory.
    func rest(of bearer: Bearer) async throws -> Int64 {
        let now = clock.milliseconds()
        if let end = configuredEnd(of: bearer) { return end == .max ? .max : max(end - now, 0) }
        guard let end = try await stored.end(of: bearer, at: now) else { return 0 }
        return end == 0 ? .max : max(end - now, 0)
    }

    /// The end of the bearer's token or key in the configuration, in milliseconds since 1970; the maximum if it has no
    /// end. Nil if the configuration does not honour it.
    private func configuredEnd(of bearer: Bearer) -> Int64? {
        if isDevelopment { return .max }
        let (users, keys) = state.withLock { ($0.users, $0.serverKeys) }
        let isMeant = { (credential: String) in
            bearer.credential.isEmpty || credential.isSame(as: bearer.credential)
        }
        let ends =
            users.filter { $0.userRecordName.isSame(as: bearer.user) && isMeant(Bearer.configured($0.token)) }
            .map(\.expires)
            + keys.values.filter { $0.userRecordName.isSame(as: bearer.user) && isMeant($0.keyID) }.map(\.expires)
        return ends.filter(isCurrent).map { $0.map { Int64($0.timeIntervalSince1970 * 1000) } ?? .max }.max()
    }

    /// Whether the configuration honours the bearer's token or key. In development mode it honours all.
    func isConfigured(_ bearer: Bearer) -> Bool { configuredEnd(of: bearer) != nil }

    /// Whether a user has a valid token or key in the configuration.
    func isConfigured(_ name: String) -> Bool {
        let (users, keys) = state.withLock { ($0.users, $0.serverKeys) }
        return users.contains { $0.userRecordName.utf8.elementsEqual(name.utf8) && isCurrent($0.expires) }
            || keys.values.contains { $0.userRecordName.utf8.elementsEqual(name.utf8) && isCurrent($0.expires) }
    }

    /// The caller, with the name and address from the configuration or the account.
    func caller(_ name: String) async throws -> DiscoveredUser {
        let people = state.withLock { $0.people }
        guard stored.hasIdentities, !people.has(name),
            let account = try await storage.read({ try $0.account(named: name) }),
            account.name.utf8.elementsEqual(name.utf8)
        else { return people.caller(name) }
        return FindableUsers([account]).caller(name)
    }

    /// Answers a caller's user lookups, each distinct one once, without users who do not allow it. In development mode
    /// a caller may be any user, so only the caller is found.
    func find(_ infos: [UserLookupInfo], for caller: String) async throws -> [DiscoveredUser] {
        let people = state.withLock { $0.people }, now = clock.milliseconds()
        var accounts = FindableUsers([StoredAccount]())
        if stored.hasIdentities {
            let names = infos.compactMap(\.userRecordName).filter(RecordRules.isValidUser)
            let addresses = infos.compactMap(\.emailAddress).filter(ZoneServerConfiguration.isAddress).map(
                FindableUsers.key)
            accounts = FindableUsers(
                try await storage.read { try $0.accounts(named: names, addresses: addresses, at: now) })
        }
        var asked: Set<UserLookupInfo> = []
        return infos.compactMap { info in
            guard asked.insert(info).inserted else { return nil }
            return (people.has(info) || !accounts.has(info) ? people : accounts).find(info, for: caller, at: now)
        }
    }

    private func isCurrent(_ end: Date?) -> Bool {
        end.map { $0.isAhead(of: clock.milliseconds()) } ?? true
    }
}

extension StoredServerKey {
    /// The key in the form for checking requests.
    ///
    /// - Throws: ``ZoneServerError`` for a malformed row, which no server writes.
    func key() throws(ZoneServerError) -> ZoneServerConfiguration.ServerKey {
        try ZoneServerConfiguration.ServerKey(
            keyID: id, publicKey: publicKey, userRecordName: account,
            containers: containers.isEmpty ? nil : Set(containers),
            expires: Date.end(milliseconds: expires))
    }
}
