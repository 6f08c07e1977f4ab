import BackstitchSupport
import CloudWire
import TestSupport

@testable import BackstitchServer

/// Accounts in memory, whose tokens a server honours from then on.
final class TestAccounts: SignInAccounts {
    /// A sign-in as the server has asked for it.
    struct Asked: Sendable, Equatable {
        var issuer: String
        var subject: String
        var emailAddress: String?
        var nameComponents: UserNameComponents
        var lifetime: Int
    }

    private struct State {
        var asked: [Asked] = []
        var users: [ZoneServerConfiguration.User] = []
        var failure: WireError?
        var server: ZoneServer?
    }

    private let state = Locked(State())

    var asked: [Asked] { state.withLock { $0.asked } }

    /// The server that honours the tokens.
    func serve(_ server: ZoneServer?) { state.withLock { $0.server = server } }

    /// Lets each sign-in fail from now on.
    func fail(_ error: WireError?) { state.withLock { $0.failure = error } }

    func signIn(
        issuer: String, subject: String, emailAddress: String?, nameComponents: UserNameComponents, lifetime: Duration
    ) async throws -> (userRecordName: String, webAuthToken: String) {
        let asked = Asked(
            issuer: issuer, subject: subject, emailAddress: emailAddress, nameComponents: nameComponents,
            lifetime: Int(lifetime.components.seconds))
        let (name, token, users, server) = try state.withLock { state in
            if let failure = state.failure { throw failure }
            let first = state.asked.firstIndex { $0.issuer == issuer && $0.subject == subject }
            let name = "_user-\(first ?? state.asked.count)", token = strong("web-\(state.asked.count)")
            state.asked.append(asked)
            state.users.append(.init(userRecordName: name, webAuthToken: token))
            return (name, token, state.users, state.server)
        }
        try await server?.setTokens(apiTokens: [], users: users)
        return (name, token)
    }
}
