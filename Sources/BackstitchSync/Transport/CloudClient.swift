import Backstitch
import BackstitchSupport
import CloudWire
import Foundation

/// Uses CloudKit Web Services with one container of a server.
final class CloudClient: Sendable {
    /// The state that changes while the client works.
    fileprivate struct State {
        /// Whether the server accepts secrets in headers: true once it has shown this project's extensions, nil before
        /// its first answer.
        var takesHeaders: Bool?
        var limits = WireLimits.standard
        /// The amounts per request, below the limits: pages, batches, pieces of assets, whole assets, and parts of
        /// uploads.
        var pages = RequestAmount()
        var batches = RequestAmount()
        var pieces = RequestAmount()
        var uploads = RequestAmount()
        var parts = RequestAmount()
        /// The header with the limits; nil if the server has not shown this project's extensions.
        var limitsHeader: String?
        /// Whether the server has sent a new web token with an answer.
        var rotatesTokens = false
        /// The push token of this device, so that the server does not notify it of its own changes.
        var device: String?
        var courierURL: String?
    }

    let options: SyncOptions
    let zone: ZoneID
    /// The name of this store for other devices; nil for a client without a store.
    let deviceID: String?
    private let transport: any Transport
    private let turns: Turns
    private let state: Locked<State>
    let keeper: CredentialKeeper
    private let base: String

    /// - Parameter workers: The threads for storing and reading tokens.
    init(
        options: SyncOptions, transport: any Transport, deviceID: String? = nil,
        workers: WorkerPool = WorkerPool(name: "backstitch-sync", limit: 2)
    ) {
        self.options = options
        self.deviceID = deviceID
        self.transport = transport
        turns = Turns()
        zone = ZoneID(zoneName: options.zoneName)
        base =
            options.serverURL.absoluteString.hasSuffix("/")
            ? String(options.serverURL.absoluteString.dropLast()) : options.serverURL.absoluteString
        keeper = CredentialKeeper(options, workers: workers)
        state = Locked(State())
    }

    /// Creates a client for another zone, which shares all other state with `client`.
    private init(_ client: CloudClient, zone: ZoneID) {
        options = client.options
        self.zone = zone
        deviceID = client.deviceID
        transport = client.transport
        turns = client.turns
        state = client.state
        keeper = client.keeper
        base = client.base
    }

    /// Returns the client for another zone of the same database, with the same credentials and pace.
    func serving(_ zone: ZoneID) -> CloudClient { CloudClient(self, zone: zone) }

    /// The names of the store's zones, here and on the server.
    var names: ZoneNames { ZoneNames(options) }

    /// The limits of one request, from the server's last answer.
    var limits: WireLimits { state.withLock { $0.limits } }

    /// Returns the pace of one kind of requests.
    func pace(_ kind: RequestAmountKind) -> RequestAmount { state.withLock { $0[keyPath: kind.path] } }

    /// Changes the pace of one kind of requests.
    func changePace(_ kind: RequestAmountKind, _ body: (inout RequestAmount) -> Void) {
        state.withLock { body(&$0[keyPath: kind.path]) }
    }

    /// Whether the server's last answer showed this project's extensions. Before the first answer, and with any other
    /// server of CloudKit's wire, it is false: then only documented requests are sent.
    var hasExtensions: Bool { state.withLock { $0.limitsHeader != nil } }

    /// Whether there is a user's token.
    var isSignedIn: Bool { keeper.credentials.webAuthToken?.isEmpty == false }
    /// Whether it reads the public database without a user.
    var isAnonymous: Bool { options.database == .public && !isSignedIn }
    /// The address of the long poll; nil before it is known.
    var courierURL: String? { state.withLock { $0.courierURL } }

    func setCredentials(_ credentials: SyncCredentials) { keeper.replace(credentials) }

    func setPushListener(device: String?, url: String?) {
        state.withLock { state in
            state.device = device
            state.courierURL = url
        }
    }

    /// Sends a request to the server.
    ///
    /// - Throws: ``SyncFailure`` for every failure of the whole request, or `CancellationError`.
    func call<Answer: WireDecodable & Sendable>(
        _ endpoint: WireEndpoint, _ question: some WireEncodable & Sendable, as answer: Answer.Type,
        timeout: Int64? = nil
    ) async throws -> Answer {
        let body: [UInt8]
        do { body = try question.wireJSON() } catch {
            throw SyncFailure(
                .permanent, BackstitchError(.internalInconsistency, "a request has no JSON form", cause: error))
        }
        // A token that each answer replaces may be valid only once.
        let takesTurns = state.withLock { $0.rotatesTokens }
        if takesTurns { await turns.take() }
        defer { if takesTurns { turns.pass() } }
        let response = try await ask(endpoint, body, timeout ?? options.requestTimeout)
        guard response.status == 200 || endpoint == .recordsModify && response.hasItems else {
            throw explained(failure(of: response, endpoint))
        }
        keeper.noteAnswer()
        do { return try Answer(wireAnswer: response.body) } catch { throw failure(reading: response, endpoint, error) }
    }

    /// Sends a request with the tokens in the place that this server accepts. At the first contact that place is
    /// unknown, so the tokens are in headers. They are sent again in the address if a server of CloudKit's wire without
    /// this project's extensions misses them. After a refusal by anything else, such as a proxy or the network's
    /// sign-in page, no address gets the tokens.
    private func ask(_ endpoint: WireEndpoint, _ body: [UInt8], _ timeout: Int64) async throws -> TransportResponse {
        let (credentials, tokens) = (await keeper.credentialsForRequest(), keeper.replacement)
        if let fault = credentials.fault { throw SyncFailure(.authentication, fault) }
        let wereInHeaders = state.withLock { $0.takesHeaders ?? true } && !credentials.isEmpty
        var response = try await exchange(question(endpoint, body, timeout, credentials), tokens)
        let wantsQuery = state.withLock { state in
            guard wereInHeaders, state.takesHeaders != true, response.missesTokens else { return false }
            state.takesHeaders = false
            return true
        }
        if wantsQuery { response = try await exchange(question(endpoint, body, timeout, credentials), tokens) }
        if response.status == 421 || response.status == 401, await keeper.takeKept() {
            let tokens = keeper.replacement
            response = try await exchange(question(endpoint, body, timeout, keeper.credentials), tokens)
        }
        return response
    }

    /// - Parameter tokens: The number of the program's tokens that the request has.
    private func exchange(_ request: TransportRequest, _ tokens: Int) async throws -> TransportResponse {
        do {
            let response = try await send(request)
            await adopt(response, tokens)
            return response
        } catch let failure as SyncFailure {
            keeper.noteLoss()
            throw failure
        }
    }

    private func question(
        _ endpoint: WireEndpoint, _ body: [UInt8], _ timeout: Int64, _ credentials: SyncCredentials
    ) -> TransportRequest {
        let (inHeaders, device) = state.withLock { ($0.takesHeaders ?? true, $0.device) }
        var headers = [
            (name: "Content-Type", value: "application/json; charset=utf-8"),
            (name: WireHeader.extensions, value: WireHeader.extensionsVersion),
        ]
        if inHeaders { headers += credentials.headers }
        if let device, hasExtensions { headers.append((WireHeader.device, device)) }
        let path = endpoint.path(
            container: options.container, environment: options.environment,
            database: endpoint.isOutsideZones ? "public" : options.database.rawValue)
        return TransportRequest(
            method: endpoint.method, url: base + path + (inHeaders ? "" : credentials.query), headers: headers,
            body: endpoint.method == "GET" ? [] : body, timeout: timeout, maximumResponse: Self.maximumAnswer)
    }

    /// Returns an address of the server without its parameters, and a header with them. It does so only if the server
    /// has shown that it accepts parameters in a header. The parameters of such an address give rights.
    private func hidingParameters(of url: String) -> (url: String, headers: [(name: String, value: String)]) {
        guard state.withLock({ $0.takesHeaders }) == true, let mark = url.firstIndex(of: "?"),
            let place = URL(string: String(url[..<mark])), place.origin == options.serverURL.origin
        else { return (url, []) }
        return (String(url[..<mark]), [(WireHeader.parameters, String(url[mark...].dropFirst()))])
    }

    /// Reads or sends the bytes of an address that the server has named.
    func transfer(
        _ method: String, _ url: String, body: [UInt8] = [], range: ClosedRange<Int64>? = nil,
        headers more: [(name: String, value: String)] = [], timeout: Int64, maximumResponse: Int,
        onReceive: (@Sendable (Int) -> Void)? = nil
    ) async throws -> TransportResponse {
        let secure = options.serverURL.scheme?.lowercased() == "https"
        guard url.hasPrefix("https://") || !secure && url.hasPrefix("http://") else {
            throw SyncFailure(
                .permanent,
                BackstitchError(.protocolViolation, "the server has named an address that is not as safe as its own"))
        }
        let (url, hidden) = hidingParameters(of: url)
        var headers = body.isEmpty ? hidden : hidden + [(name: "Content-Type", value: "application/octet-stream")]
        headers += more
        if let range { headers.append((name: "Range", value: "bytes=\(range.lowerBound)-\(range.upperBound)")) }
        return try await send(
            TransportRequest(
                method: method, url: url, headers: headers, body: body, timeout: timeout,
                maximumResponse: maximumResponse, onReceive: onReceive))
    }

    /// Does the same for the bytes of an asset, but only with hosts that the program trusts.
    func transferAsset(
        _ method: String, _ url: String, body: [UInt8] = [], range: ClosedRange<Int64>? = nil,
        headers: [(name: String, value: String)] = [], timeout: Int64, maximumResponse: Int,
        onReceive: (@Sendable (Int) -> Void)? = nil
    ) async throws -> TransportResponse {
        if let fault = hostFault(of: url) { throw Self.violation(fault) }
        return try await transfer(
            method, url, body: body, range: range, headers: headers, timeout: timeout,
            maximumResponse: maximumResponse, onReceive: onReceive)
    }

    /// Returns the reason why an address may not be used for the bytes of assets; nil if it may.
    func hostFault(of url: String) -> String? {
        guard let hosts = options.assetHosts else { return nil }
        let host = URL(string: url)?.host?.lowercased() ?? ""
        let isTrusted =
            host == options.serverURL.host?.lowercased() || hosts.contains(host)
            || hosts.contains { $0.hasPrefix("*.") && host.hasSuffix($0.dropFirst()) }
        return isTrusted
            ? nil : "the server has named the host \"\(host)\" for an asset; the option syncAssetHosts does not list it"
    }

    private func send(_ request: TransportRequest) async throws -> TransportResponse {
        do { return try await transport.send(request) } catch let error as TransportError {
            throw failure(of: error)
        }
    }

    private func adopt(_ response: TransportResponse, _ tokens: Int) async {
        let rotated = response.header(WireHeader.rotatedToken).flatMap { $0.isEmpty ? nil : $0 }
        let hasExtensions = response.header(WireHeader.extensions) != nil
        let header = response.header(WireHeader.limits)
        state.withLock { state in
            if rotated != nil { state.rotatesTokens = true }
            if hasExtensions { state.takesHeaders = true }
            // An error may come from something in between; the server itself repeats the same header in each answer.
            guard response.status == 200 || header != nil, header != state.limitsHeader else { return }
            state.limitsHeader = header
            guard let header else { return state.limits = .standard }
            if let limits = WireLimits(headerValue: header) { state.limits = limits.bounded }
        }
        if let rotated { await keeper.rotate(to: rotated, inPlaceOf: tokens) }
    }

    /// The largest accepted answer, in bytes.
    private static let maximumAnswer = 64 << 20
}

extension CloudClient {
    /// The kinds of requests with a pace.
    enum RequestAmountKind: Sendable {
        case pages, batches, pieces, uploads, parts

        fileprivate var path: WritableKeyPath<State, RequestAmount> {
            switch self {
            case .pages: \.pages
            case .batches: \.batches
            case .pieces: \.pieces
            case .uploads: \.uploads
            case .parts: \.parts
            }
        }
    }
}

extension WireEndpoint {
    /// Whether the operation concerns users or shares instead of zones: CloudKit has those in the public database.
    fileprivate var isOutsideZones: Bool { self == .usersCaller || self == .recordsResolve || self == .recordsAccept }
}

extension WireLimits {
    /// The limits, reduced to the abilities of a device.
    fileprivate var bounded: WireLimits {
        WireLimits(
            operations: min(operations, 20_000), bytes: min(bytes, 256 << 20), page: min(page, 20_000),
            record: min(record, 256 << 20), asset: asset)
    }
}

extension URL {
    /// Scheme, host and port: the parts that determine the server.
    fileprivate var origin: [String?] {
        let scheme = scheme?.lowercased()
        return [scheme, host?.lowercased(), String(port ?? (scheme == "https" ? 443 : 80))]
    }
}
