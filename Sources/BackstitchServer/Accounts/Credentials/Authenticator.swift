import Backstitch
import CloudWire
import Foundation

/// Identifies callers by their tokens, and admits or refuses them.
struct Authenticator: Sendable {
    /// The credentials of a request: the proof of its sender.
    struct Credentials: Sendable {
        var apiToken: String?
        var webAuthToken: String?
        /// From the header `Authorization: Bearer`. A header keeps the token out of logs.
        var bearer: String?
        /// The address of the caller's machine.
        var address: String
    }

    /// The sender of a request.
    enum Caller: Sendable, Hashable {
        case user(String)
        /// A user with a read-only token.
        case reader(String)
        /// An anonymous caller, with read access to the public database only.
        case world
    }

    /// The result of an admission: the caller, and the token to use.
    struct Admission: Sendable {
        var caller: Caller
        /// The id of the caller's token or key; see ``Bearer/credential``.
        var credential = ""
        /// The next token of the user, to be used from now on; nil to keep the current one.
        var renewedToken: String?
    }

    /// The default record name of callers in development mode.
    static let developmentUser = "_development"

    let users: UserDirectory
    let attempts: FailedAttempts
    let spent = SpentSignatures()
    let clock: any WallClock
    private let renewal: TokenRenewal
    private let signer: TokenSigner
    private let signInURL: String?

    init(
        _ configuration: ZoneServerConfiguration, _ users: UserDirectory, _ renewal: TokenRenewal, _ signer: TokenSigner
    ) {
        self.signer = signer
        self.users = users
        attempts = FailedAttempts(configuration)
        clock = configuration.clock
        self.renewal = renewal
        signInURL = configuration.signInURL?.absoluteString
    }

    /// Identifies the caller of a request to a container.
    ///
    /// - Throws: AUTHENTICATION_FAILED without a valid API token for the container, though a bearer token makes it
    ///   unnecessary. AUTHENTICATION_REQUIRED for a web auth token that is invalid or has expired, and without one if
    ///   the server has no API tokens. THROTTLED after too many invalid tokens. The storage's error if a token must be
    ///   read.
    func admit(_ credentials: Credentials, to container: String) async throws -> Admission {
        let webAuthToken = credentials.bearer ?? credentials.webAuthToken
        if users.isDevelopment { return Admission(caller: .user(try developmentUser(webAuthToken))) }
        let needsAPIToken = users.needsAPIToken
        if credentials.bearer == nil, needsAPIToken {
            try await requireAPIToken(credentials, for: container)
        }
        guard let webAuthToken, !webAuthToken.isEmpty else {
            guard needsAPIToken else { throw authenticationRequired }
            return Admission(caller: .world)
        }
        let digest = TokenDigest(presented: webAuthToken)
        guard let found = try await look(for: webAuthToken, credentials.address, users.holder) else {
            try await renewal.revokeSuccessors(of: digest)
            throw authenticationRequired
        }
        var admission = Admission(
            caller: found.isReadOnly ? .reader(found.userRecordName) : .user(found.userRecordName),
            credential: found.credential?.id ?? Bearer.configured(digest))
        try refuseWeak(webAuthToken)
        if let credential = found.credential {
            admission.renewedToken = try await renewal.renewed(webAuthToken, credential)
        }
        return admission
    }

    private func requireAPIToken(_ credentials: Credentials, for container: String) async throws {
        guard let token = credentials.apiToken, !token.isEmpty,
            try await look(
                for: token, credentials.address, { try await users.isAPIToken($0, for: container) ? true : nil }) != nil
        else { throw WireError(.authenticationFailed, "the API token is missing or not valid") }
        try refuseWeak(token)
    }

    /// Looks a token up. An unknown token counts as a failed attempt.
    private func look<Value>(
        for token: String, _ address: String, _ look: (TokenDigest) async throws -> Value?
    ) async throws -> Value? {
        let digest = TokenDigest(presented: token)
        if users.isConfigured(digest) { return try await look(digest) }
        return try await attempts.check(digest, from: address, isMade: signer.hasMade(token), look)
    }

    /// Refuses a weak token: its digest may be known to the server, but it protects nothing.
    private func refuseWeak(_ token: String) throws(WireError) {
        guard let weakness = TokenWeakness(of: token, sha256: TokenDigest(presented: token).bytes) else { return }
        throw WireError(.authenticationFailed, "this token is refused: \(weakness.text)")
    }

    /// The caller's record name, for requests that need a user.
    ///
    /// - Throws: AUTHENTICATION_REQUIRED for an anonymous caller.
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
