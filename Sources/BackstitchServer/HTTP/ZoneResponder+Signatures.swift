import CloudWire
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

extension ZoneResponder {
    /// The signature of a request, as far as it can be checked before the body has come; nil for one without.
    ///
    /// - Parameter database: nil for an operation that has none.
    func signature(
        _ incoming: IncomingRequest, _ endpoint: WireEndpoint, _ container: String, _ database: DatabaseScope?
    ) async throws -> SignedRequest? {
        guard let claim = try SignatureClaim(incoming.request.headers) else { return nil }
        return try await authenticator.open(
            claim, for: endpoint, of: container, database, target: incoming.request.head.path ?? "/",
            from: incoming.address)
    }

    /// Reads the body, and verifies the signature of a request that has one.
    ///
    /// Until then anybody may have written the key's ID. So the bytes count for the address that they come from, and
    /// the work is that of the address: none of it is taken from the key's share.
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
