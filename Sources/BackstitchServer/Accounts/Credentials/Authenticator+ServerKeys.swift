#if TLS
import Backstitch
import BackstitchSupport
import CloudWire
import Crypto
import Foundation
import NIOCore

extension Authenticator {
    /// Checks a signed request as far as possible without its body: the key, its reach, and the date. So nothing is
    /// kept for a stranger.
    ///
    /// - Parameter database: nil for an operation without a database.
    /// - Parameter target: The path and query of the request.
    /// - Throws: AUTHENTICATION_FAILED for an unknown key, a place outside its reach or a wrong date; THROTTLED after
    ///   too many failures from the address; the storage's error if the key must be read.
    func open(
        _ claim: SignatureClaim, for endpoint: WireEndpoint, of container: String, _ database: DatabaseScope?,
        target: String, from address: String
    ) async throws -> SignedRequest {
        // An ID in capitals names the same key, so the attempts remember only one entry for it.
        let id = TokenDigest(presented: claim.keyID.asciiLowercased)
        do throws(WireError) { try attempts.admit(id, from: address) } catch {
            // Others at the same address have failed. That must not shut out a key that exists. An ID is no secret.
            guard try await users.hasServerKey(claim.keyID) else { throw error }
        }
        guard let key = try await users.serverKey(claim.keyID, for: container) else {
            attempts.noteFailure(of: id, from: address)
            throw WireError(
                .authenticationFailed, "the server-to-server key is unknown, is not for this container, or has expired")
        }
        guard database ?? .public == .public, !endpoint.isAboutUsers else {
            throw WireError(
                .authenticationFailed, "a server-to-server key reaches the public database only, and no users")
        }
        let now = clock.milliseconds()
        guard let time = SignatureDate.milliseconds(claim.date) else {
            throw WireError(.authenticationFailed, "the date of a signed request must look like 2016-01-25T22:15:43Z")
        }
        guard abs(time - now) <= SignedRequest.window else {
            throw WireError(
                .authenticationFailed,
                """
                the request was signed at \(claim.date.shown(40)), more than ten minutes from the server's time, \
                \(Date(milliseconds: now).formatted(.iso8601))
                """)
        }
        return SignedRequest(
            key: key, claim: claim, time: time, target: target, address: address, changes: endpoint.access.isChange)
    }

    /// Checks the signature over the whole request. Blocks while it computes.
    ///
    /// A request for a change is accepted once. This server remembers its signature here. All servers of the storage
    /// note it in the transaction of the change (``SpentSignature``).
    ///
    /// A reading request may be repeated. The signed date has a resolution of one second. So two equal questions within
    /// a second have the same signature if signatures are deterministic (RFC 6979). A second answer reveals nothing
    /// new.
    ///
    /// - Throws: AUTHENTICATION_FAILED for a wrong signature, and for a repeated one; THROTTLED for a key with too many
    ///   changes.
    func verify(_ signed: SignedRequest, body: ByteBuffer) throws(WireError) {
        guard signed.isValid(for: body) else {
            // The key's ID is not secret. A stranger who names it must not shut out its owner.
            attempts.noteFailure(from: signed.address)
            throw WireError(
                .authenticationFailed, "the signature does not match the key, the date, the body and the path")
        }
        attempts.noteSuccess(of: TokenDigest(presented: signed.key.keyID))
        guard signed.changes else { return }
        try spent.spend(
            signed.claim.signature.rawRepresentation, of: signed.key.keyID, until: signed.time + SignedRequest.window,
            at: clock.milliseconds())
    }
}

extension ServerRoute.Access {
    /// Whether a call changes something.
    fileprivate var isChange: Bool { self == .changing || self == .changingByItem }
}
#endif
