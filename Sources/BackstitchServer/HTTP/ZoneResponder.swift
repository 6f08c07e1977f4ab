import Backstitch
import BackstitchSQL
import BackstitchSupport
import CloudWire
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1

/// Answers HTTP requests: finds the operation and the caller, and turns failures into errors of the wire.
final class ZoneResponder: HTTPResponder {
    typealias Context = ZoneRequestContext

    let service: ZoneService
    let connections: ConnectionRegistry
    let authenticator: Authenticator
    let configuration: ZoneServerConfiguration
    let reception: RequestAdmission
    let signInPlaces = SignInPlaces()
    private let readiness: Readiness
    private let crossOrigin: CrossOrigin
    private let requestCount = Locked(0)

    init(
        service: ZoneService, connections: ConnectionRegistry, configuration: ZoneServerConfiguration,
        readiness: Readiness
    ) {
        self.service = service
        self.connections = connections
        self.configuration = configuration
        self.readiness = readiness
        crossOrigin = CrossOrigin(configuration.allowedOrigins)
        authenticator = Authenticator(
            configuration, service.context.users, TokenRenewal(service.context, service.accounts.identities),
            service.context.signer)
        reception = RequestAdmission(
            ledger: service.context.ledger, clock: configuration.clock, runner: configuration.runner,
            metrics: service.context.metrics)
    }

    func respond(to request: Request, context: ZoneRequestContext) async throws -> Response {
        let start = ContinuousClock.now
        let request = request.withHeadersOfASCII
        let id = configuration.random.uuid()
        // The query is never logged, since it may hold tokens.
        let (path, query) = Self.split(request.head.path ?? "/")
        let target = RequestTarget(path: path)
        let route = target?.route.name ?? ServerMetrics.unknownRoute
        return await RequestTracing.withSpan(route, request) { span in
            var outcome = await outcome(of: request, target, query, context, id)
            outcome.response.headers[.requestUUID] = id
            if request.headers[.wireExtensions] == WireHeader.extensionsVersion {
                outcome.response.headers[.wireExtensions] = WireHeader.extensionsVersion
            }
            crossOrigin.mark(&outcome.response, to: request)
            outcome.response.frame(for: request)
            report(outcome, of: request, as: route, id, since: start, in: span)
            return outcome.response
        }
    }

    private func outcome(
        of request: Request, _ target: RequestTarget?, _ query: Substring, _ context: ZoneRequestContext, _ id: String
    ) async -> RequestOutcome {
        if target != nil, let response = crossOrigin.preflight(request) { return RequestOutcome(response) }
        do {
            return RequestOutcome(try await answer(request, target, query, context))
        } catch {
            var outcome = RequestOutcome(wireError(error, id, target))
            if let refusal = error as? UploadRefusal {
                outcome.response.headers[.uploadOffset] = String(refusal.offset)
            }
            return outcome
        }
    }

    private func answer(
        _ request: Request, _ target: RequestTarget?, _ query: Substring, _ context: ZoneRequestContext
    ) async throws -> Response {
        try HeadCheck.refuseMarked(request)
        guard let target else { throw WireError(.notFound, "could not find handler for endpoint") }
        guard let visible = QueryString(query), let hidden = QueryString(request.headers[.wireParameters] ?? "") else {
            throw WireError(.badRequest, "the query of the address is not percent-encoded UTF-8")
        }
        let parameters = hidden.over(visible)
        let fault = await nextFault(target)
        if case .dropConnection? = fault { return await cut(context) }
        if case .delay(let milliseconds)? = fault { try await configuration.clock.sleep(milliseconds: milliseconds) }
        if case .throttled(let seconds)? = fault {
            throw WireError(.throttled, "too many requests", retryAfter: seconds)
        }
        if case .unavailable(let seconds)? = fault {
            throw WireError(.tryAgainLater, "the server is busy", retryAfter: seconds)
        }
        let incoming = IncomingRequest(
            request: request, parameters: parameters, context: context, address: address(of: request, context))
        let response = try await dispatch(incoming, target)
        if case .dropResponse? = fault { return await cut(context) }
        return response
    }

    private func dispatch(_ incoming: IncomingRequest, _ target: RequestTarget) async throws -> Response {
        switch target {
        case .database(let endpoint, let container, let environment, let scope):
            try await answer(incoming, endpoint, container, environment, scope)
        case .device(let endpoint, let container, let environment):
            try await answer(incoming, endpoint, container, environment, nil)
        case .upload: try await receive(incoming)
        case .download(let tenantID, let checksum): try await send(incoming, tenantID, checksum)
        case .poll: try await poll(incoming)
        case .signIn: try await signIn(incoming)
        case .health: StatusAnswer.health
        case .ready: StatusAnswer.ready(await readiness.reason())
        }
    }

    private func address(of request: Request, _ context: ZoneRequestContext) -> String {
        guard let peer = context.channel.remoteAddress.flatMap(MachineAddress.init) else { return "" }
        guard let proxies = configuration.trustedProxies else { return peer.network }
        return proxies.caller(peer, request.headers[values: proxies.header.name]).network
    }

    private func nextFault(_ target: RequestTarget) async -> FaultInjector.Fault? {
        guard let faults = configuration.faults else { return nil }
        let number = requestCount.withLock { count in
            defer { count += 1 }
            return count
        }
        return await faults.decide(FaultInjector.Request(endpoint: target.route.name, number: number))
    }

    /// Closes the connection. The returned response is discarded then.
    // Not inlined, since long polls keep the caller's frame while they wait.
    @inline(never)
    private func cut(_ context: ZoneRequestContext) async -> Response {
        do {
            try await context.channel.close()
        } catch {
            configuration.logger.trace("the connection was closed already: \(error)")
        }
        return Response(status: .internalServerError)
    }

    private func wireError(_ error: any Error, _ id: String, _ target: RequestTarget?) -> WireError {
        var result: WireError
        switch error {
        case let error as WireError where error.code != .internalError: result = error
        case let refusal as UploadRefusal: result = refusal.error
        // The head was valid, but the bytes behind it are no body.
        case let error as HTTPParserError:
            result = WireError(.badRequest, "the body is not framed by Content-Length or chunks: \(error)")
        case let failure as TransactionFailure where failure.kind == .full:
            configuration.logger.error(
                "the disk is full; free some space on it", metadata: ["request": "\(id)", "error": "\(failure)"])
            result = failure.wireError
        case let error as SystemError where error.isFull:
            configuration.logger.error(
                "the disk of the assets is full; free some space on it",
                metadata: ["request": "\(id)", "error": "\(error)"])
            result = WireError.diskIsFull
        // Nothing was stored, or the outcome is unknown. A repeat of the request finds out.
        case let failure as TransactionFailure:
            configuration.logger.warning(
                "the storage is busy", metadata: ["request": "\(id)", "error": "\(failure)"])
            result = failure.wireError
        // Every device ends its long poll when it goes to sleep. That is no failure.
        case is CancellationError:
            result = WireError(.tryAgainLater, "the request was abandoned: its client has gone, or the server stops")
        case let error as AssetStoreFailure:
            configuration.logger.error(
                "the store of assets failed",
                metadata: ["request": "\(id)", "error": "\(error)"].merging(RequestTracing.metadata) { own, _ in own })
            result = WireError(.tryAgainLater, "the store of assets does not answer now", retryAfter: 10)
        default:
            // The cause of an internal error is for the log. The caller gets the id of the log's line.
            configuration.logger.error(
                "request failed",
                metadata: ["request": "\(id)", "route": "\(target?.route.name ?? "")", "error": "\(error)"]
                    .merging(RequestTracing.metadata) { own, _ in own })
            result = WireError(.internalError, "the server failed; its log has the details under \(id)")
        }
        result.uuid = id
        return result
    }

    private static func split(_ address: String) -> (path: Substring, query: Substring) {
        let parts = address.split(atByte: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        return (parts[0], parts.count > 1 ? parts[1] : "")
    }
}

extension TrustedProxies.Header {
    var name: HTTPField.Name { HTTPField.Name(rawValue) ?? .server }
}

extension HTTPField.Name {
    static let requestUUID = HTTPField.Name(WireHeader.requestUUID) ?? .server
    static let wireExtensions = HTTPField.Name(WireHeader.extensions) ?? .server
    static let wireLimits = HTTPField.Name(WireHeader.limits) ?? .server
    static let rotatedToken = HTTPField.Name(WireHeader.rotatedToken) ?? .server
    static let wireParameters = HTTPField.Name(WireHeader.parameters) ?? .server
    static let wireDevice = HTTPField.Name(WireHeader.device) ?? .server
    static let uploadOffset = HTTPField.Name(WireHeader.uploadOffset) ?? .server
    static let uploadLength = HTTPField.Name(WireHeader.uploadLength) ?? .server
}
