import Backstitch
import CloudWire
import Foundation

/// Speaks CloudKit Web Services with one container of a server.
final class CloudClient: Sendable {
    /// What changes while the client works.
    private struct State {
        var credentials: SyncCredentials
        var limits = WireLimits.standard
        /// The header that said so.
        var limitsHeader: String?
        /// Names this device to the server, so that it is not told of its own changes.
        var device: String?
        var courierURL: String?
    }

    let options: SyncOptions
    let zone: ZoneID
    /// Names this store to others; nil for a client without one.
    let deviceID: String?
    private let transport: any Transport
    private let state: Locked<State>
    private let base: String

    init(options: SyncOptions, transport: any Transport, deviceID: String? = nil) {
        self.options = options
        self.deviceID = deviceID
        self.transport = transport
        zone = ZoneID(zoneName: options.zoneName)
        base =
            options.serverURL.absoluteString.hasSuffix("/")
            ? String(options.serverURL.absoluteString.dropLast()) : options.serverURL.absoluteString
        state = Locked(State(credentials: options.credentials))
    }

    /// How much one request may hold, as the server has said last.
    var limits: WireLimits { state.withLock { $0.limits } }

    /// Whether there is a user's token.
    var isSignedIn: Bool { state.withLock { $0.credentials.webAuthToken?.isEmpty == false } }
    /// The address where to wait for notifications; nil before it is known.
    var courierURL: String? { state.withLock { $0.courierURL } }

    func setCredentials(_ credentials: SyncCredentials) { state.withLock { $0.credentials = credentials } }

    func setCourier(device: String?, url: String?) {
        state.withLock { state in
            state.device = device
            state.courierURL = url
        }
    }

    /// Asks the server.
    ///
    /// - Throws: ``SyncFailure`` for whatever is no success as a whole, or `CancellationError`.
    func call<Answer: WireDecodable & Sendable>(
        _ endpoint: WireEndpoint, _ question: some WireEncodable & Sendable, as answer: Answer.Type
    ) async throws -> Answer {
        let body: [UInt8]
        do { body = try question.wireJSON() } catch {
            throw SyncFailure(
                .permanent, BackstitchError(.internalInconsistency, "a request has no JSON form", cause: error))
        }
        let (query, device) = state.withLock { ($0.credentials.query, $0.device) }
        var headers = [
            ("Content-Type", "application/json; charset=utf-8"), (WireHeader.extensions, WireHeader.extensionsVersion),
        ]
        if let device { headers.append((WireHeader.device, device)) }
        let path = endpoint.path(container: options.container, environment: options.environment)
        let response = try await send(
            TransportRequest(
                method: "POST", url: base + path + query, headers: headers.map { (name: $0.0, value: $0.1) },
                body: body,
                timeout: options.requestTimeout, maximumResponse: Self.maximumAnswer))
        adopt(response)
        guard response.status == 200 else { throw failure(of: response, endpoint) }
        do { return try Answer(wireJSON: response.body) } catch {
            throw SyncFailure(
                .permanent,
                BackstitchError(
                    .protocolViolation, "the server's answer to \(endpoint.rawValue) cannot be read", cause: error))
        }
    }

    /// Gets or sends the bytes of an address that the server has named.
    func transfer(
        _ method: String, _ url: String, body: [UInt8] = [], range: ClosedRange<Int64>? = nil, timeout: Int64,
        maximumResponse: Int,
        onReceive: (@Sendable (Int) -> Void)? = nil
    ) async throws -> TransportResponse {
        let secure = options.serverURL.scheme?.lowercased() == "https"
        guard url.hasPrefix("https://") || !secure && url.hasPrefix("http://") else {
            throw SyncFailure(
                .permanent,
                BackstitchError(.protocolViolation, "the server has named an address that is not as safe as its own"))
        }
        var headers = body.isEmpty ? [] : [(name: "Content-Type", value: "application/octet-stream")]
        if let range { headers.append((name: "Range", value: "bytes=\(range.lowerBound)-\(range.upperBound)")) }
        return try await send(
            TransportRequest(
                method: method, url: url, headers: headers, body: body, timeout: timeout,
                maximumResponse: maximumResponse, onReceive: onReceive))
    }

    private func send(_ request: TransportRequest) async throws -> TransportResponse {
        do { return try await transport.send(request) } catch let error as TransportError {
            throw failure(of: error)
        }
    }

    private func adopt(_ response: TransportResponse) {
        let rotated = response.header(WireHeader.rotatedToken)
        let header = response.header(WireHeader.limits)
        state.withLock { state in
            if let rotated { state.credentials.webAuthToken = rotated }
            // Every answer says the same.
            guard let header, header != state.limitsHeader else { return }
            state.limitsHeader = header
            if let limits = WireLimits(headerValue: header) { state.limits = limits }
        }
    }

    /// Bytes of an answer that are accepted.
    private static let maximumAnswer = 256 << 20
}
