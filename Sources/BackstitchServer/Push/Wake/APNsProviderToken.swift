#if TLS
import Backstitch
import JWTKit

/// The token for a server's proof of identity to APNs ("Establishing a token-based connection to APNs"): a JWT with the
/// team as issuer and the time. It is valid for an hour, and may be made anew every 20 minutes.
actor APNsProviderToken {
    /// Milliseconds before another token is made.
    static let life: Int64 = 40 * 60_000

    private struct Claims: JWTPayload {
        var iss: String
        /// The time of issue, in seconds since 1970.
        var iat: Int64

        /// Always throws: the server makes such tokens, and accepts none.
        func verify(using _: some JWTAlgorithm) throws(JWTError) {
            throw JWTError.claimVerificationFailure(failedClaim: nil, reason: "a token for APNs is not taken here")
        }
    }

    private let key: APNsConfiguration.Key
    private let clock: any WallClock
    /// The current token, and the uptime of its making.
    private var kept: (text: String, made: Int64)?
    /// The token being made. Otherwise each of many simultaneous pushes would make one, and APNs takes many tokens in
    /// 20 minutes for an attack.
    private var making: Task<String, any Error>?

    init(_ key: APNsConfiguration.Key, clock: any WallClock) {
        self.key = key
        self.clock = clock
    }

    /// The token for a request now.
    ///
    /// - Throws: errors of the cryptography, for an invalid key.
    func text() async throws -> String {
        if let kept, clock.uptime() < kept.made + Self.life { return kept.text }
        if let making { return try await making.value }
        let task = Task { try await make() }
        making = task
        return try await task.value
    }

    private func make() async throws -> String {
        defer { making = nil }
        let made = clock.uptime()
        let keys = await JWTKeyCollection().add(ecdsa: try ES256PrivateKey(pem: key.pem))
        var header = JWTHeader()
        header.kid = key.keyID
        let text = try await keys.sign(Claims(iss: key.teamID, iat: clock.milliseconds() / 1_000), header: header)
        kept = (text, made)
        return text
    }

    /// Discards a token that APNs no longer accepts, so another one is made.
    func end(_ text: String) {
        if kept?.text == text { kept = nil }
    }
}
#endif
