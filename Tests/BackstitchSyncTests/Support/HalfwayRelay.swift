import Backstitch
import BackstitchSupport
import Foundation
import TestSupport

/// A relay between a device and the server. While it is armed, it passes on only a limited number of bytes of a
/// connection: a longer message is cut in the middle.
final class HalfwayRelay: Sendable {
    let url: URL
    private let relay: Relay
    private let limit: Locked<Int?>
    private let reached: AsyncStream<Void>

    /// - Parameter watch: Is told what devices send.
    init(to server: URL, after bytes: Int? = nil, watch: @escaping @Sendable ([UInt8]) -> Void = { _ in }) throws {
        guard let port = server.port else { throw TestFailure("\(server) has no port") }
        let limit = Locked(bytes)
        let (reached, tell) = AsyncStream<Void>.makeStream()
        self.limit = limit
        self.reached = reached
        relay = Relay(try Listener(at: .port(0))) {
            Socket(to: .port(port))
        } judge: { _ in
            let passed = Locked(0)
            return { way, bytes in
                guard way == .toServer else { return .passes }
                watch(bytes)
                let rest = (limit.withLock { $0 } ?? .max) - passed.withLock { $0 }
                passed.withLock { $0 += min(rest, bytes.count) }
                if bytes.count <= rest { return .passes }
                tell.yield()
                return .passesInPart(rest)
            }
        }
        url = try relay.url
    }

    /// Waits until a connection has sent as much as is let through.
    func waitForHalf() async { for await _ in reached { return } }

    /// Lets connections that begin from now on send as much as they like.
    func letAllThrough() { limit.withLock { $0 = nil } }

    func stop() { relay.stop() }
}
