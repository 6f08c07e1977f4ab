import Backstitch
import BackstitchSupport
import CloudWire
import Foundation

/// Speaks CloudKit Web Services with one container of a server.
final class CloudClient: Sendable {
    /// The state that changes while the client works.
    fileprivate struct State {
        /// Whether the server takes secrets in headers: known of one that has shown this project's extensions, nil
        /// before its first answer.
        var takesHeaders: Bool?
        var limits = WireLimits.standard
        /// How much is asked for at once, below the limits: pages, batches, pieces of assets, and whole assets.
        var pages = Pace()
        var batches = Pace()
        var pieces = Pace()
        var uploads = Pace()
        var parts = Pace()
        /// The header that said so; nil of a server that has not shown this project's extensions.
        var limitsHeader: String?
        /// Whether the server has given a new web token with an answer.
        var rotatesTokens = false
        /// Names this device to the server, so that it is not told of its own changes.
        var device: String?
        var courierURL: String?
    }

    let options: SyncOptions
    let zone: ZoneID
    /// Names this store to others; nil for a client without one.
    let deviceID: String?
    private let transport: any Transport
    private let turns: Turns
    private let state: Locked<State>
    let keeper: CredentialKeeper
    private let base: String

    /// - Parameter workers: Where tokens are kept and looked up.
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

    /// One for another zone, which shares with `client` all that is not the zone's.
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

    /// The client for another zone of the same database: the same in everything else, credentials and pace included.
    func serving(_ zone: ZoneID) -> CloudClient { CloudClient(self, zone: zone) }

    /// The names of the store's zones, here and on the server.
    var names: ZoneNames { ZoneNames(options) }

    /// How much one request may hold, as the server has said last.
    var limits: WireLimits { state.withLock { $0.limits } }

    /// The pace of one kind of requests.
    func pace(_ kind: PaceKind) -> Pace { state.withLock { $0[keyPath: kind.path] } }

    /// Changes the pace of one kind of requests.
    func changePace(_ kind: PaceKind, _ body: (inout Pace) -> Void) { state.withLock { body(&$0[keyPath: kind.path]) } }

    /// Whether the server knows this project's extensions, as its last answer has shown. Before the first answer, and
    /// for any other server of CloudKit's wire, it does not: then nothing is sent that is not documented.
    var hasExtensions: Bool { state.withLock { $0.limitsHeader != nil } }

    /// Whether there is a user's token.
    var isSignedIn: Bool { keeper.credentials.webAuthToken?.isEmpty == false }
    /// Whether it reads the public database as nobody in particular.
    var isAnonymous: Bool { options.database == .public && !isSignedIn }
    /// The address where to wait for notifications; nil before it is known.
    var courierURL: String? { state.withLock { $0.courierURL } }

    func setCredentials(_ credentials: SyncCredentials) { keeper.replace(credentials) }

    func setPushListener(device: String?, url: String?) {
        state.withLock { state in
            state.device = device
            state.courierURL = url
        }
    }

    /// Asks the server.
    ///
    /// - Throws: ``SyncFailure`` for whatever is no success as a whole, or `CancellationError`.
    func call<Answer: WireDecodable & Sendable>(
        _ endpoint: WireEndpoint, _ question: some WireEncodable & Sendable, as answer: Answer.Type,
        timeout: Int64? = nil
    ) async throws -> Answer {
        let body: [UInt8]
        do { body = try question.wireJSON() } catch {
            throw SyncFailure(
                .permanent, BackstitchError(.internalInconsistency, "a request has no JSON form", cause: error))
        }
        // A token that each answer replaces may be good only once.
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

    /// Sends a question with the tokens where this server takes them. At the first contact that is not known: they go
    /// in headers, and again in the address when a server of CloudKit's wire that has not shown this project's
    /// extensions misses them. Anybody else that refuses a request, a proxy or the network's sign-in page, gets them in
    /// no address.
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

    /// - Parameter tokens: The name of the program's tokens that the request has.
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

    /// An address of the server that has shown that it takes parameters in a header, without them, and the header. The
    /// rights that such an address gives are in its parameters.
    private func hidingParameters(of url: String) -> (url: String, headers: [(name: String, value: String)]) {
        guard state.withLock({ $0.takesHeaders }) == true, let mark = url.firstIndex(of: "?"),
            let place = URL(string: String(url[..<mark])), place.origin == options.serverURL.origin
        else { return (url, []) }
        return (String(url[..<mark]), [(WireHeader.parameters, String(url[mark...].dropFirst()))])
    }

    /// Gets or sends the bytes of an address that the server has named.
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

    /// The same for the bytes of an asset, which go to hosts that the program trusts with them.
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

    /// Why the bytes of assets are not to go to, or come from, an address; nil when they may.
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
            // An error may come from something in between; what the server itself answers says the same each time.
            guard response.status == 200 || header != nil, header != state.limitsHeader else { return }
            state.limitsHeader = header
            guard let header else { return state.limits = .standard }
            if let limits = WireLimits(headerValue: header) { state.limits = limits.bounded }
        }
        if let rotated { await keeper.rotate(to: rotated, inPlaceOf: tokens) }
    }

    /// Bytes of an answer that are accepted.
    private static let maximumAnswer = 64 << 20
}

extension CloudClient {
    /// The things that are asked for in parts.
    enum PaceKind: Sendable {
        case pages, batches, pieces, uploads, parts

        fileprivate var path: WritableKeyPath<State, Pace> {
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
    /// Whether the operation is about users or shares, wherever their zones are: CloudKit has those in the public
    /// database.
    fileprivate var isOutsideZones: Bool { self == .usersCaller || self == .recordsResolve || self == .recordsAccept }
}

extension WireLimits {
    /// The same, but no more than a device can do.
    fileprivate var bounded: WireLimits {
        WireLimits(
            operations: min(operations, 20_000), bytes: min(bytes, 256 << 20), page: min(page, 20_000),
            record: min(record, 256 << 20), asset: asset)
    }
}

extension URL {
    /// Scheme, host and port, as far as they say who answers.
    fileprivate var origin: [String?] {
        let scheme = scheme?.lowercased()
        return [scheme, host?.lowercased(), String(port ?? (scheme == "https" ? 443 : 80))]
    }
}
