import BackstitchSync
import CloudWire

/// A device's line to the network of its world.
final class SimulatedTransport: Transport {
    private let network: Confined<SimulatedNetwork>
    private let device: Confined<SimulatedDevice>

    init(_ network: SimulatedNetwork, of device: SimulatedDevice) {
        self.network = Confined(network)
        self.device = Confined(device)
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let network = network, device = device
        return try await withCheckedThrowingContinuation { continuation in
            network.value.begin(Exchange(request, from: device.value, continuation))
        }
    }
}

/// A request under way, which is answered once.
final class Exchange {
    let request: TransportRequest
    let device: SimulatedDevice
    let life: Int
    private var continuation: CheckedContinuation<TransportResponse, any Error>?

    init(
        _ request: TransportRequest, from device: SimulatedDevice,
        _ continuation: CheckedContinuation<TransportResponse, any Error>
    ) {
        self.request = request
        self.device = device
        life = device.life
        self.continuation = continuation
    }

    var isOpen: Bool { continuation != nil }

    /// The end of the path, such as `records/modify`.
    var endpoint: String {
        let path = request.url.prefix { $0 != "?" }
        return path.split(separator: "/").suffix(2).joined(separator: "/")
    }

    /// The key of a push.
    var idempotencyKey: String? {
        guard endpoint == "records/modify" else { return nil }
        return (try? RecordsModifyRequest(wireJSON: request.body))?.idempotencyKey
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
