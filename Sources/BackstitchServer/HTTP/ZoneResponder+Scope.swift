import BackstitchSupport
import CloudWire
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

extension ZoneResponder {
    /// Returns the scope of a request: the caller and the database. The scope of a signed request holds only after the
    /// signature has been verified.
    ///
    /// - Throws: the errors of authentication; ACCESS_DENIED for a change with a read-only token; BAD_REQUEST for an
    ///   unknown environment; NOT_FOUND for a container that is not served; the storage's error if a token must be
    ///   read.
    func scope(
        _ incoming: IncomingRequest, _ container: String, _ environment: String, _ scope: DatabaseScope,
        _ endpoint: WireEndpoint, _ signed: SignedRequest?
    ) async throws -> RequestScope {
        let admission: Authenticator.Admission =
            if let signed {
                Authenticator.Admission(caller: .user(signed.key.userRecordName), credential: signed.key.keyID)
            } else {
                try await authenticator.admit(credentials(incoming), to: container)
            }
        let caller = admission.caller
        let user =
            caller == .world && scope == .public && endpoint.access == .publicReading
            ? RequestScope.world : try authenticator.user(caller)
        let mayWrite = caller == .user(user)
        if endpoint.access == .changing, !mayWrite { throw RequestScope.readsOnly }
        guard environment == "development" || environment == "production" else {
            throw WireError(
                .badRequest, "unknown environment '\(environment.shown(40))'; use development or production")
        }
        guard service.context.users.serves(container) else {
            throw WireError(.notFound, "container '\(container.shown())' is not served here")
        }
        let headers = incoming.request.headers
        let extensions = headers[.wireExtensions] == WireHeader.extensionsVersion
        return RequestScope(
            container: container, environment: environment,
            database: DatabaseKey(
                tenant: "\(container)/\(environment)", scope: scope,
                owner: scope == .public ? DatabaseKey.publicOwner : user),
            user: user, credential: admission.credential, roles: scope == .public ? configuration.publicRoles : nil,
            mayWrite: mayWrite,
            extensions: extensions,
            limits: extensions ? configuration.extendedLimits : configuration.standardLimits,
            device: headers[.wireDevice].flatMap(PushTokenText.init)?.key,
            wakeDevice: headers[.wireDevice].flatMap(WakeToken.init)?.digest, network: incoming.address,
            baseURL: baseURL(incoming),
            signature: signed?.spentSignature, renewedToken: admission.renewedToken)
    }

    private func credentials(_ incoming: IncomingRequest) -> Authenticator.Credentials {
        let authorization = incoming.request.headers[.authorization] ?? ""
        let isBearer = authorization.begins(withASCII: "bearer ")
        return Authenticator.Credentials(
            apiToken: incoming.parameters["ckAPIToken"],
            webAuthToken: incoming.parameters["ckWebAuthToken"] ?? incoming.parameters["ckSession"],
            bearer: isBearer ? authorization.dropping("bearer ").trimmingSpaces : nil,
            address: incoming.address)
    }

    /// Refuses foreign pages in development mode, since every caller is let in there. A page in this machine's browser
    /// is refused by its own name (`Origin`). It is also refused by a foreign name for this machine (`Host`).
    func refuseForeignPages(_ incoming: IncomingRequest) throws(WireError) {
        guard configuration.isDevelopment else { return }
        // The part after the scheme; an origin without one ("null") is no address at all.
        let origin = incoming.request.headers[.origin].map { origin in
            origin.contains("://") ? String(origin.drop { $0 != "/" }.drop { $0 == "/" }) : origin
        }
        for case let text? in [incoming.request.head.authority, origin] {
            guard let authority = Authority(text), authority.host.isLoopbackHost else {
                throw WireError(.accessDenied, "in development mode this server answers to loopback addresses only")
            }
        }
    }

    /// The server's base URL for this caller. The host in the request is believed only if it can mean nothing but this
    /// machine. URLs in answers hold secrets, and must lead nowhere else.
    private func baseURL(_ incoming: IncomingRequest) -> String {
        if let url = configuration.publicURL?.absoluteString {
            return url.hasSuffix("/") ? String(url.dropLast()) : url
        }
        let local = incoming.context.channel.localAddress
        let address = local?.ipAddress ?? configuration.host
        if let said = incoming.request.head.authority.flatMap(Authority.init),
            said.host.isLoopbackHost, address.isLoopbackHost
        {
            return "\(configuration.scheme)://\(said.text)"
        }
        let host = address.contains(":") ? "[\(address)]" : address
        return "\(configuration.scheme)://\(host):\(local?.port ?? configuration.port)"
    }
}
