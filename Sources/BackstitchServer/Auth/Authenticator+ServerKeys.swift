#if TLS
import Backstitch
import BackstitchSupport
import CloudWire
import Crypto
import Foundation
import NIOCore

extension Authenticator {
    /// Checks all of a signed request that can be checked before its body has come, so that a stranger has nothing
    /// kept: that the key is known, that it reaches the place, and that the date holds.
    ///
    /// - Parameters:
    ///   - database: nil for an operation that has none.
    ///   - target: The path and query of the request.
    /// - Throws: AUTHENTICATION_FAILED, or THROTTLED for an address from which too much came that was not valid; what
    ///   the storage throws when it has to be asked for the key.
    func open(
        _ claim: SignatureClaim, for endpoint: WireEndpoint, of container: String, _ database: DatabaseScope?,
        target: String, from address: String
    ) async throws -> SignedRequest {
        // An ID in capitals is the same one: nobody has more than one of it remembered.
        let id = TokenDigest(presented: claim.keyID.asciiLowercased)
        try attempts.admit(id, from: address)
        guard let key = try await users.serverKey(claim.keyID, for: container) else {
            attempts.noteFailure(of: id, from: address)
            throw WireError(
                .authenticationFailed, "the server-to-server key is not known, not for this container, or has ended")
        }
        guard database ?? .public == .public, !endpoint.isAboutUsers else {
            throw WireError(
                .authenticationFailed, "a server-to-server key reaches the public database only, and no users")
        }
        let now = clock.milliseconds()
        guard let time = SignatureDate.milliseconds(claim.date) else {
            throw WireError(.authenticationFailed, "the date of a signed request looks like 2016-01-25T22:15:43Z")
        }
        guard abs(time - now) <= SignedRequest.window else {
            throw WireError(
                .authenticationFailed,
                """
                the request was signed at \(claim.date.shown(40)), more than ten minutes from the server's time, \
                \(Date(timeIntervalSince1970: Double(now) / 1000).formatted(.iso8601))
                """)
        }
        return SignedRequest(
            key: key, claim: claim, time: time, target: target, address: address, changes: endpoint.access.isChange)
    }

    /// Checks the signature over the whole request. Blocks for the time that it takes.
    ///
    /// A request that changes something is taken once: by this server, which remembers it here, and by all servers of
    /// the storage, which note it in the transaction of the change (``SpentSignature``). One that reads may come again:
    /// what is signed names the second and no more, so two equal questions within it are one and the same where
    /// signatures are deterministic (RFC 6979); and a second answer gives away nothing that the first did not.
    ///
    /// - Throws: AUTHENTICATION_FAILED for another signature, and for one that was taken before; THROTTLED for a key
    ///   that changes too much.
    func verify(_ signed: SignedRequest, body: ByteBuffer) throws(WireError) {
        guard signed.isValid(for: body) else {
            // The key's ID is no secret: who else names it does not shut its owner out.
            attempts.noteFailure(from: signed.address)
            throw WireError(
                .authenticationFailed, "the signature is not the key's for this date, this body and this path")
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
