import Backstitch
import BackstitchSupport
import CloudWire
import Foundation

/// The tokens and keys that are honoured, which can change while the server runs.
final class UserDirectory: Sendable {
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

    /// Everybody is let in, under any name.
    let isDevelopment: Bool
    private let clock: any WallClock
    private let state: Locked<State>

    init(_ configuration: ZoneServerConfiguration) {
        isDevelopment = configuration.isDevelopment
        clock = configuration.clock
        state = Locked(State(configuration.apiTokens, configuration.users, configuration.serverKeys))
    }

    func replace(
        apiTokens: [TokenDigest], users: [ZoneServerConfiguration.User],
        serverKeys: [ZoneServerConfiguration.ServerKey]
    ) {
        let next = State(apiTokens, users, serverKeys)
        state.withLock { $0 = next }
    }

    var needsAPIToken: Bool { state.withLock { !$0.apiTokens.isEmpty } }

    func isAPIToken(_ token: TokenDigest) -> Bool {
        let known = state.withLock { $0.apiTokens }
        // All are compared, so that the time does not tell which one it was.
        return known.reduce(false) { $1.matches(token) || $0 }
    }

    /// Returns the user whose token it is; nil for one that is not known, and for one that has expired.
    func user(of token: TokenDigest) -> ZoneServerConfiguration.User? {
        let users = state.withLock { $0.users }
        var found: ZoneServerConfiguration.User?
        for user in users where user.token.matches(token) { found = user }
        return found.flatMap { isCurrent($0.expires) ? $0 : nil }
    }

    /// Returns the server-to-server key of an ID; nil for one that is not known or has expired, and for a container
    /// that it does not reach.
    func serverKey(_ keyID: String, for container: String) -> ZoneServerConfiguration.ServerKey? {
        guard let key = state.withLock({ $0.serverKeys[keyID.lowercased()] }), isCurrent(key.expires) else {
            return nil
        }
        return key.containers.map { $0.contains(container) } ?? true ? key : nil
    }

    /// Whether a user has any token or key that is honoured: what was given to one who has none ends with it.
    func knows(_ name: String) -> Bool {
        if isDevelopment { return true }
        let (users, keys) = state.withLock { ($0.users, $0.serverKeys) }
        return users.contains { $0.userRecordName.utf8.elementsEqual(name.utf8) && isCurrent($0.expires) }
            || keys.values.contains { $0.userRecordName.utf8.elementsEqual(name.utf8) && isCurrent($0.expires) }
    }

    /// The caller, with the name and the address that the configuration gives.
    func caller(_ name: String) -> DiscoveredUser { state.withLock { $0.people }.caller(name) }

    /// A user whom a caller looks for; nil for one who does not want to be found. In development mode, where anybody
    /// may be any user, nobody is found but the caller.
    func find(_ info: UserLookupInfo, for caller: String) -> DiscoveredUser? {
        state.withLock { $0.people }.find(info, for: caller, at: clock.milliseconds())
    }

    private func isCurrent(_ end: Date?) -> Bool {
        end.map { Double(clock.milliseconds()) < $0.timeIntervalSince1970 * 1000 } ?? true
    }
}
