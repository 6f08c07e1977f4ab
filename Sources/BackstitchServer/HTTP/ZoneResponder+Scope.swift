import CloudWire
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

extension ZoneResponder {
    /// Who asks, for which database.
    ///
    /// - Throws: the errors of authentication, BAD_REQUEST for an environment that does not exist, NOT_FOUND for a
    ///   container that is not served.
    func scope(
        _ incoming: IncomingRequest, _ container: String, _ environment: String, _ scope: DatabaseScope,
        _ endpoint: WireEndpoint
    ) throws(WireError) -> RequestScope {
        try refuseForeignPages(incoming)
        let caller = try authenticator.caller(credentials(incoming))
        let user =
            caller == .world && scope == .public && endpoint.isPublicReading ? "_world" : try authenticator.user(caller)
        guard environment == "development" || environment == "production" else {
            throw WireError(
                .badRequest, "unknown environment '\(environment.prefix(40))'; use development or production")
        }
        let isName = container.utf8.count <= 255 && container.utf8.allSatisfy(\.isContainerByte)
        guard !container.isEmpty, isName, configuration.containers?.contains(container) ?? true else {
            throw WireError(.notFound, "container '\(container.prefix(60))' is not served here")
        }
        let headers = incoming.request.headers
        let extensions = headers[.wireExtensions] == WireHeader.extensionsVersion
        return RequestScope(
            container: container, environment: environment,
            database: DatabaseKey(
                tenant: "\(container)/\(environment)", scope: scope,
                owner: scope == .public ? DatabaseKey.publicOwner : user),
            user: user, mayWrite: caller == .user(user), extensions: extensions,
            limits: extensions ? configuration.extendedLimits : configuration.standardLimits,
            device: headers[.wireDevice].flatMap(PushTokenText.init)?.key, baseURL: baseURL(incoming))
    }

    private func credentials(_ incoming: IncomingRequest) -> Authenticator.Credentials {
        let authorization = incoming.request.headers[.authorization] ?? ""
        let isBearer = authorization.lowercased().hasPrefix("bearer ")
        return Authenticator.Credentials(
            apiToken: incoming.parameters["ckAPIToken"],
            webAuthToken: incoming.parameters["ckWebAuthToken"] ?? incoming.parameters["ckSession"],
            bearer: isBearer ? authorization.dropFirst("bearer ".count).trimmingSpaces : nil)
    }

    /// In development mode everybody may call, so a page from elsewhere in this machine's browser must not: neither by
    /// its own name (`Origin`) nor by a name that it made to mean this machine (`Host`).
    private func refuseForeignPages(_ incoming: IncomingRequest) throws(WireError) {
        guard configuration.isDevelopment else { return }
        // What stands after the scheme; an origin without one ("null") is no address at all.
        let origin = incoming.request.headers[.origin].map { origin in
            origin.contains("://") ? String(origin.drop { $0 != "/" }.drop { $0 == "/" }) : origin
        }
        for case let name? in [incoming.request.head.authority, origin] {
            guard ZoneServerConfiguration.isLoopback(host: name.hostWithoutPort) else {
                throw WireError(.accessDenied, "in development mode this server answers to loopback addresses only")
            }
        }
    }

    /// Where this caller reaches the server, as it has just done.
    private func baseURL(_ incoming: IncomingRequest) -> String {
        if let url = configuration.publicURL?.absoluteString {
            return url.hasSuffix("/") ? String(url.dropLast()) : url
        }
        if let authority = incoming.request.head.authority, !authority.isEmpty { return "http://\(authority)" }
        let port = incoming.context.channel.localAddress?.port ?? configuration.port
        return configuration.host.contains(":")
            ? "http://[\(configuration.host)]:\(port)" : "http://\(configuration.host):\(port)"
    }
}

extension WireEndpoint {
    /// Endpoints that need no user in the public database.
    fileprivate var isPublicReading: Bool {
        switch self {
        case .recordsLookup, .zonesList, .zonesLookup: true
        default: false
        }
    }
}

extension UInt8 {
    /// Letters, digits, and the signs that names of containers have.
    fileprivate var isContainerByte: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }
}

extension String {
    /// The name or address in `name:port` or `[address]:port`.
    fileprivate var hostWithoutPort: String {
        if hasPrefix("[") { return String(dropFirst().prefix { $0 != "]" }) }
        return String(prefix { $0 != ":" })
    }
}
