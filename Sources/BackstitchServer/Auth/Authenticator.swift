import CloudWire
import Foundation

/// Knows callers by their tokens.
struct Authenticator: Sendable {
    /// What a request brings to prove who it is from.
    struct Credentials: Sendable {
        var apiToken: String?
        var webAuthToken: String?
        /// From the header `Authorization: Bearer`, which keeps the token out of logs.
        var bearer: String?
    }

    /// Who asks.
    enum Caller: Sendable, Hashable {
        case user(String)
        /// A user whose token only reads.
        case reader(String)
        /// Nobody in particular: may read the public database.
        case world
    }

    /// Record name of every caller in development mode who does not choose another.
    static let developmentUser = "_development"

    private let apiTokens: [TokenDigest]
    private let users: [ZoneServerConfiguration.User]
    private let isDevelopment: Bool
    private let signInURL: String?

    init(_ configuration: ZoneServerConfiguration) {
        apiTokens = configuration.apiTokens
        users = configuration.users
        isDevelopment = configuration.isDevelopment
        signInURL = configuration.signInURL?.absoluteString
    }

    /// - Throws: AUTHENTICATION_FAILED without a valid API token (a bearer's token makes one unnecessary),
    ///   AUTHENTICATION_REQUIRED for a web auth token that is not valid.
    func caller(_ credentials: Credentials) throws(WireError) -> Caller {
        let webAuthToken = credentials.bearer ?? credentials.webAuthToken
        if isDevelopment { return .user(try developmentUser(webAuthToken)) }
        if credentials.bearer == nil, !apiTokens.isEmpty {
            guard let token = credentials.apiToken, isKnown(token) else {
                throw WireError(.authenticationFailed, "the API token is missing or not valid")
            }
        }
        guard let webAuthToken, !webAuthToken.isEmpty else {
            guard !apiTokens.isEmpty else { throw authenticationRequired }
            return .world
        }
        let digest = TokenDigest(of: webAuthToken)
        // All users are compared, so that the time does not tell which one it was.
        var found: ZoneServerConfiguration.User?
        for user in users where user.token.matches(digest) { found = user }
        guard let found else { throw authenticationRequired }
        return found.isReadOnly ? .reader(found.userRecordName) : .user(found.userRecordName)
    }

    /// The caller's record name, for requests that need a user.
    ///
    /// - Throws: AUTHENTICATION_REQUIRED for the world.
    func user(_ caller: Caller) throws(WireError) -> String {
        switch caller {
        case .user(let name), .reader(let name): return name
        case .world: throw authenticationRequired
        }
    }

    private var authenticationRequired: WireError {
        WireError(.authenticationRequired, "request needs authorization", redirectURL: signInURL)
    }

    private func isKnown(_ token: String) -> Bool {
        let digest = TokenDigest(of: token)
        var result = false
        for known in apiTokens where known.matches(digest) { result = true }
        return result
    }

    private func developmentUser(_ name: String?) throws(WireError) -> String {
        guard let name, !name.isEmpty else { return Self.developmentUser }
        guard RecordRules.isValidUser(name) else {
            throw WireError(.badRequest, "in development mode ckWebAuthToken is a user's name of 1 to 255 bytes")
        }
        return name
    }
}
