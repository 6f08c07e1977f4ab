import Backstitch
import BackstitchSupport
import CloudWire
import Foundation

/// The tokens and keys that are honoured, which can change while the server runs: those of the configuration, and those
/// of the storage.
final class UserDirectory: Sendable {
    /// The user whose token it is.
    struct Holder: Sendable {
        var userRecordName: String
        var isReadOnly: Bool
        /// The token as the storage has it; nil for one of the configuration.
        var credential: StoredCredential?
    }

    private struct State {
        var apiTokens: [TokenDigest]
        var users: [ZoneServerConfiguration.User]
        var serverKeys: [String: ZoneServerConfiguration.ServerKey]
        var people: People

        init(
            _ apiTokens: [TokenDigest], _ users: [ZoneServerConfiguration.User],
            _ serverKeys: [ZoneServerConfiguration.ServerKey]
        ) {
            self.apiTokens = apiTokens
            self.users = users
            self.serverKeys = Dictionary(serverKeys.map { ($0.keyID, $0) }, uniquingKeysWith: { first, _ in first })
            people = People(users)
        }
    }

    let stored: IdentityCache
    private let clock: any WallClock
    private let configuration: ZoneServerConfiguration
    private let storage: any ZoneStorage
    private let state: Locked<State>

    init(_ configuration: ZoneServerConfiguration, _ storage: any ZoneStorage) {
        self.storage = storage
        stored = IdentityCache(storage)
        clock = configuration.clock
        self.configuration = configuration
        state = Locked(State(configuration.apiTokens, configuration.users, configuration.serverKeys))
    }

    /// Everybody is let in, under any name. Never again once the storage has accounts.
    var isDevelopment: Bool { configuration.isDevelopment && !stored.hasIdentities }

    func replace(
        apiTokens: [TokenDigest], users: [ZoneServerConfiguration.User],
        serverKeys: [ZoneServerConfiguration.ServerKey]
    ) {
        let next = State(apiTokens, users, serverKeys)
        state.withLock { $0 = next }
    }

    /// Whether a container is served: one that the configuration or an administrator has declared.
    func serves(_ container: String) -> Bool {
        // One for development that any may use is none any more once the storage has accounts.
        let isDeclared = stored.containers.contains(container)
        return isDeclared || configuration.serves(container) && (configuration.containers != nil || isDevelopment)
    }

    var needsAPIToken: Bool { state.withLock { !$0.apiTokens.isEmpty } || stored.hasAPITokens }

    /// Whether it is a token of the configuration.
    func isConfigured(_ token: TokenDigest) -> Bool {
        let (known, users) = state.withLock { ($0.apiTokens, $0.users) }
        // All are compared, so that the time does not tell which one it was.
        return users.reduce(known.reduce(false) { $1.matches(token) || $0 }) { $1.token.matches(token) || $0 }
    }

    /// Whether it is a program's token that is good for a container.
    ///
    /// - Throws: what the storage throws, which is asked for a token that this server does not remember.
    func isAPIToken(_ token: TokenDigest, for container: String) async throws -> Bool {
        let known = state.withLock { $0.apiTokens }
        // All are compared, so that the time does not tell which one it was.
        if known.reduce(false, { $1.matches(token) || $0 }) { return true }
        guard let found = try await stored.credential(token), found.kind == .api else { return false }
        return found.isHonoured(at: clock.milliseconds()) && ["", container].contains(found.container)
    }

    /// The user whose token it is; nil for one that is not known, and for one that has expired.
    ///
    /// - Throws: what the storage throws, which is asked for a token that this server does not remember.
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

    /// The server-to-server key of an ID; nil for one that is not known or has expired, and for a container that it
    /// does not reach.
    ///
    /// - Throws: what the storage throws, which is asked for a key that this server does not remember.
    func serverKey(_ keyID: String, for container: String) async throws -> ZoneServerConfiguration.ServerKey? {
        let id = keyID.asciiLowercased
        var key = state.withLock { $0.serverKeys[id] }
        if key == nil, id.utf8.count == 64 { key = try await stored.serverKey(id)?.key() }
        guard let key, isCurrent(key.expires) else { return nil }
        return key.containers.map { $0.contains(container) } ?? true ? key : nil
    }

    /// Whether a user has any token or key that is honoured: what was given to one who has none ends with it.
    ///
    /// - Throws: what the storage throws, which is asked for a user whom this server does not remember.
    func knows(_ name: String) async throws -> Bool { try await honours(Bearer(user: name)) }

    /// Whether the token or key is honoured by which a user made something.
    ///
    /// - Throws: what the storage throws, which is asked for one that this server does not remember.
    func honours(_ bearer: Bearer) async throws -> Bool {
        if isConfigured(bearer) { return true }
        return try await stored.honours(bearer, at: clock.milliseconds())
    }

    /// Whether the configuration honours the token or key by which a user made something, as it does all in development
    /// mode.
    func isConfigured(_ bearer: Bearer) -> Bool {
        if isDevelopment { return true }
        if bearer.credential.isEmpty { return isConfigured(bearer.user) }
        let (users, keys) = state.withLock { ($0.users, $0.serverKeys) }
        let isUsers = { (name: String, end: Date?) in name.isSame(as: bearer.user) && self.isCurrent(end) }
        return users.contains { user in
            Bearer.configured(user.token).isSame(as: bearer.credential)
                && isUsers(user.userRecordName, user.expires)
        } || keys[bearer.credential].map { isUsers($0.userRecordName, $0.expires) } ?? false
    }

    /// Whether a user has a token or a key in the configuration that is honoured.
    func isConfigured(_ name: String) -> Bool {
        let (users, keys) = state.withLock { ($0.users, $0.serverKeys) }
        return users.contains { $0.userRecordName.utf8.elementsEqual(name.utf8) && isCurrent($0.expires) }
            || keys.values.contains { $0.userRecordName.utf8.elementsEqual(name.utf8) && isCurrent($0.expires) }
    }

    /// The caller, with the name and the address that the configuration or the account gives.
    func caller(_ name: String) async throws -> DiscoveredUser {
        let people = state.withLock { $0.people }
        guard stored.hasIdentities, !people.has(name),
            let account = try await storage.read({ try $0.account(named: name) }),
            account.name.utf8.elementsEqual(name.utf8)
        else { return people.caller(name) }
        return People([account]).caller(name)
    }

    /// The users whom a caller looks for, each question answered once, without those who do not want to be found. In
    /// development mode, where anybody may be any user, nobody is found but the caller.
    func find(_ infos: [UserLookupInfo], for caller: String) async throws -> [DiscoveredUser] {
        let people = state.withLock { $0.people }, now = clock.milliseconds()
        var accounts = People([StoredAccount]())
        if stored.hasIdentities {
            let names = infos.compactMap(\.userRecordName).filter(RecordRules.isValidUser)
            let addresses = infos.compactMap(\.emailAddress).filter(ZoneServerConfiguration.isAddress).map(People.key)
            accounts = People(
                try await storage.read { try $0.accounts(named: names, addresses: addresses, at: now) })
        }
        var asked: Set<UserLookupInfo> = []
        return infos.compactMap { info in
            guard asked.insert(info).inserted else { return nil }
            return (people.has(info) || !accounts.has(info) ? people : accounts).find(info, for: caller, at: now)
        }
    }

    private func isCurrent(_ end: Date?) -> Bool {
        end.map { Double(clock.milliseconds()) < $0.timeIntervalSince1970 * 1000 } ?? true
    }
}

extension StoredServerKey {
    /// The key as requests are checked with it.
    ///
    /// - Throws: ``ZoneServerError`` for a row that no server has written.
    func key() throws(ZoneServerError) -> ZoneServerConfiguration.ServerKey {
        try ZoneServerConfiguration.ServerKey(
            keyID: id, publicKey: publicKey, userRecordName: account,
            containers: containers.isEmpty ? nil : Set(containers),
            expires: expires == 0 ? nil : Date(timeIntervalSince1970: Double(expires) / 1000))
    }
}
