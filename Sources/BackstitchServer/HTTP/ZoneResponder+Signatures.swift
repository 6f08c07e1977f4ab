import CloudWire
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

extension ZoneResponder {
    /// The signature of a request, checked as far as possible without the body; nil for a request without one.
    ///
    /// - Parameter database: nil for an operation without a database.
    func signature(
        _ incoming: IncomingRequest, _ endpoint: WireEndpoint, _ container: String, _ database: DatabaseScope?
    ) async throws -> SignedRequest? {
        guard let claim = try SignatureClaim(incoming.request.headers) else { return nil }
        return try await authenticator.open(
            claim, for: endpoint, of: container, database, target: incoming.request.head.path ?? "/",
            from: incoming.address)
    }

    /// Reads the body, and verifies the signature of a signed request.
    ///
    /// Before that the key's ID proves nothing, since any caller can write it. So the bytes and the work count for the
    /// sender's address. None of it is taken from the key's share.
    func collect(
        _ incoming: IncomingRequest, _ scope: RequestScope, _ user: String, _ signed: SignedRequest?
    ) async throws -> (RequestPass, ByteBuffer) {
        let holder = signed == nil ? user : "_unverified \(incoming.address)"
        let pass = try reception.admit(holder, from: incoming.address)
        let reader = BodyReader(
            channel: incoming.context.channel, timeout: configuration.bodyTimeout, pace: configuration.bodyPace)
        let body = try await reader.collect(incoming.request, limit: scope.limits.bytes, pass)
        guard let signed else { return (pass, body) }
        try await reception.work(for: holder, bytes: body.readableBytes) { [authenticator] in
            try authenticator.verify(signed, body: body)
        }
        let verified = try reception.admit(user, from: incoming.address)
        try verified.hold(body.readableBytes, .bytes)
        withExtendedLifetime(pass) {}
        return (verified, body)
    }
}
