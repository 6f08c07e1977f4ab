import BackstitchSync
import CloudWire

/// A request under way. It is answered once.
final class Exchange {
    let request: TransportRequest
    let device: SimulatedDevice
    let life: Int
    /// The step of the world at which it was sent.
    let begun: Int
    /// The end of the path, such as `records/modify`.
    let endpoint: String
    /// The content of a push; nil for other requests.
    private(set) lazy var push: RecordsModifyRequest? =
        endpoint == "records/modify" ? (try? RecordsModifyRequest(wireJSON: request.body)) : nil
    /// The zone of a push. Other requests have the main zone.
    var zone: String { push?.zoneID?.zoneName ?? SimulatedServer.zone }
    /// The server process that answers it; nil until the request has arrived.
    var process: SimulatedServer.Process?
    private var continuation: CheckedContinuation<TransportResponse, any Error>?

    init(
        _ request: TransportRequest, from device: SimulatedDevice,
        _ continuation: CheckedContinuation<TransportResponse, any Error>
    ) {
        self.request = request
        self.device = device
        life = device.life
        begun = device.world.scheduler.steps
        endpoint = Self.endpoint(of: request.url)
        self.continuation = continuation
    }

    var isOpen: Bool { continuation != nil }

    private static func endpoint(of url: String) -> String {
        let path = url.utf8.prefix { $0 != UInt8(ascii: "?") }
        return path.split(separator: UInt8(ascii: "/")).suffix(2).map { String($0) ?? "" }.joined(separator: "/")
    }

    func finish(_ result: Result<TransportResponse, any Error>) {
        guard let continuation else { return }
        self.continuation = nil
        continuation.resume(with: result)
    }

    func fail(_ message: String, _ kind: TransportError.Kind = .unreachable) {
        finish(.failure(TransportError(kind, message)))
    }
}
