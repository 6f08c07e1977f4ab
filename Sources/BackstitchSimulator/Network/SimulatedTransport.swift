import BackstitchSync
import CloudWire

/// A device's connection to the network of its world.
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
