import Backstitch
import BackstitchSupport
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// Carries out administrators' requests over HTTP: accounts, tokens, keys and containers.
///
/// Only callers on this machine are answered, on any listening address, and only with an administrator's token. The
/// token is one of the configuration or one of the storage. A foreign host name may lead a browser here. The check of
/// the host name refuses such a request.
struct AdministrationDesk: Sendable {
    /// Largest body of a request, in bytes. A public key is its largest part.
    private static let limit = 65_536

    let tokens: [TokenDigest]
    let attempts: FailedAttempts
    let configuration: ZoneServerConfiguration
    /// The service; nil while the storage is not open.
    let service: @Sendable () -> ZoneService?

    init(_ configuration: ZoneServerConfiguration, service: @escaping @Sendable () -> ZoneService?) {
        tokens = configuration.administration?.tokens ?? []
        attempts = FailedAttempts(configuration)
        self.configuration = configuration
        self.service = service
    }

    /// Answers a request. `path` is the part behind `/admin/`.
    func answer(_ request: Request, _ path: String, _ context: ZoneRequestContext) async -> Response {
        do {
            try requireThisMachine(request, context)
            guard let service = service() else {
                throw IdentityError(.unavailable, "the server starts or stops; try again")
            }
            try await requireAdministrator(request, context.channel.remoteAddress?.ipAddress ?? "", service)
            guard let kind = AdministrationRequests.byPath[path] else {
                throw IdentityError(.notFound, "there is nothing at '\(path.shown())'")
            }
            guard request.method == .post else {
                throw IdentityError(.invalid, "administrators' requests must use POST")
            }
            let reader = BodyReader(
                channel: context.channel, timeout: configuration.bodyTimeout, pace: configuration.bodyPace)
            var body = ByteBuffer()
            try await reader.read(request, limit: Self.limit) { piece in body.writeImmutableBuffer(piece) }
            let bytes = try await carryOut(kind, Data(body.readableBytesView), service)
            configuration.logger.notice("an administrator's request was carried out", metadata: ["request": "\(path)"])
            return StatusAnswer.answer(.ok, String(decoding: bytes, as: UTF8.self))
        } catch {
            return failure(error, path)
        }
    }

    private func carryOut<Kind: AdministrationRequest>(
        _: Kind.Type, _ body: Data, _ service: ZoneService
    ) async throws -> Data {
        let request: Kind
        do { request = try AdministrationJSON.decoder.decode(Kind.self, from: body) } catch {
            throw IdentityError(.invalid, "the body is not a request of \(Kind.path): \(error)")
        }
        return try AdministrationJSON.encoder.encode(try await request.answer(service.accounts.identities))
    }

    private func requireThisMachine(_ request: Request, _ context: ZoneRequestContext) throws {
        let addresses = [context.channel.remoteAddress, context.channel.localAddress].map { $0?.ipAddress ?? "" }
        let host = request.head.authority.flatMap(Authority.init)?.host ?? ""
        guard (addresses + [host]).allSatisfy(\.isLoopbackHost) else {
            throw IdentityError(
                .unauthorized,
                "administrators' requests must come from this machine, through a loopback address such as "
                    + "127.0.0.1")
        }
    }

    private func requireAdministrator(_ request: Request, _ address: String, _ service: ZoneService) async throws {
        let authorization = request.headers[.authorization] ?? ""
        guard authorization.begins(withASCII: "bearer ") else { throw Self.unauthorized }
        let text = authorization.dropping("bearer ").trimmingSpaces
        let digest = TokenDigest(presented: text)
        if tokens.hasMatch(digest), TokenWeakness(of: text, sha256: digest.bytes) == nil {
            return
        }
        let users = service.context.users
        let known = try await attempts.check(digest, from: address, isMade: service.context.signer.hasMade(text)) {
            try await users.isAdministrators($0) ? true : Bool?.none
        }
        guard known != nil else { throw Self.unauthorized }
    }

    private static let unauthorized = IdentityError(
        .unauthorized,
        "an administrator's token is needed, as Authorization: Bearer; `backstitch admin tokens add` makes one")
}
