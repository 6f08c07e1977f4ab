import Backstitch
import BackstitchSupport
import Foundation

/// The tokens that are honoured, which can change while the server runs.
final class UserDirectory: Sendable {
    private struct State {
        var apiTokens: [TokenDigest]
        var users: [ZoneServerConfiguration.User]
    }

    /// Everybody is let in, under any name.
    let isDevelopment: Bool
    private let clock: any WallClock
    private let state: Locked<State>

    init(_ configuration: ZoneServerConfiguration) {
        isDevelopment = configuration.isDevelopment
        clock = configuration.clock
        state = Locked(State(apiTokens: configuration.apiTokens, users: configuration.users))
    }

    func replace(apiTokens: [TokenDigest], users: [ZoneServerConfiguration.User]) {
        state.withLock { $0 = State(apiTokens: apiTokens, users: users) }
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
        return found.flatMap { isCurrent($0) ? $0 : nil }
    }

    /// Whether a user has any token that is honoured: what was given to one who has none ends with it.
    func knows(_ name: String) -> Bool {
        if isDevelopment { return true }
        let users = state.withLock { $0.users }
        return users.contains { $0.userRecordName.utf8.elementsEqual(name.utf8) && isCurrent($0) }
    }

    private func isCurrent(_ user: ZoneServerConfiguration.User) -> Bool {
        user.expires.map { Double(clock.milliseconds()) < $0.timeIntervalSince1970 * 1000 } ?? true
    }
}
