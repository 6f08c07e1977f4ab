import Backstitch
import CloudWire
import Foundation

/// Knows callers by their tokens.
struct Authenticator: Sendable {
    /// The credentials in a request, which prove who sends it.
    struct Credentials: Sendable {
        var apiToken: String?
        var webAuthToken: String?
        /// From the header `Authorization: Bearer`, which keeps the token out of logs.
        var bearer: String?
        /// The address of the caller's machine.
        var address: String
    }

    /// The sender of a request.
    enum Caller: Sendable, Hashable {
        case user(String)
        /// A user whose token only reads.
        case reader(String)
        /// Nobody in particular: may read the public database.
        case world
    }

    /// Record name of every caller in development mode who does not choose another.
    static let developmentUser = "_development"

    let users: UserDirectory
    let attempts: FailedAttempts
    let spent = SpentSignatures()
    let clock: any WallClock
    private let signInURL: String?

    init(_ configuration: ZoneServerConfiguration, _ users: UserDirectory) {
        self.users = users
        attempts = FailedAttempts(configuration)
        clock = configuration.clock
        signInURL = configuration.signInURL?.absoluteString
    }

    /// - Throws: AUTHENTICATION_FAILED without a valid API token (a bearer's token makes one unnecessary),
    ///   AUTHENTICATION_REQUIRED for a web auth token that is not valid or has expired, THROTTLED for more of them.
    func caller(_ credentials: Credentials) throws(WireError) -> Caller {
        let webAuthToken = credentials.bearer ?? credentials.webAuthToken
        if users.isDevelopment { return .user(try developmentUser(webAuthToken)) }
        let needsAPIToken = users.needsAPIToken
        if credentials.bearer == nil, needsAPIToken {
            guard let token = credentials.apiToken, !token.isEmpty,
                try attempts.check(
                    TokenDigest(of: token), from: credentials.address, { users.isAPIToken($0) ? true : nil }) != nil
            else { throw WireError(.authenticationFailed, "the API token is missing or not valid") }
        }
        guard let webAuthToken, !webAuthToken.isEmpty else {
            guard needsAPIToken else { throw authenticationRequired }
            return .world
        }
        let digest = TokenDigest(of: webAuthToken)
        guard let found = try attempts.check(digest, from: credentials.address, users.user) else {
            throw authenticationRequired
        }
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

    private func developmentUser(_ name: String?) throws(WireError) -> String {
        guard let name, !name.isEmpty else { return Self.developmentUser }
        guard RecordRules.isValidUser(name) else {
            throw WireError(.badRequest, "in development mode ckWebAuthToken is a user's name of 1 to 255 bytes")
        }
        return name
    }
}
