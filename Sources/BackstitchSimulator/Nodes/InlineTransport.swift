package import BackstitchServer
import BackstitchSupport
package import BackstitchSync
import NIOCore
import NIOEmbedded

/// A zone server in this process, and the connection to it. The task that sends a request also runs the server for it,
/// without sockets and without the network faults of a world.
package final class InlineTransport: Transport {
    /// Set to true when the server cuts the connection of the request under way.
    @TaskLocal private static var isCut: Locked<Bool>?

    /// Used as the connection of every request. It works on any thread, and its output is never read.
    private static let channel: any Channel = NIOAsyncTestingChannel()

    private let server: InlineZoneServer

    /// Makes a connection to a server with an empty storage in memory. Faults of the configuration that cut connections
    /// cut this one. Blocks.
    ///
    /// - Throws: ``ZoneServerError`` for an invalid configuration.
    package init(_ configuration: ZoneServerConfiguration) throws {
        var configuration = configuration
        if let faults = configuration.faults {
            configuration.faults = FaultInjector { request in
                let fault = await faults.decide(request)
                switch fault {
                case .dropConnection, .dropResponse: Self.isCut?.withLock { $0 = true }
                default: break
                }
                return fault
            }
        }
        server = try InlineZoneServer(configuration)
    }

    package func send(_ request: TransportRequest) async throws -> TransportResponse {
        let isCut = Locked(false)
        let response = try await Self.$isCut.withValue(isCut) {
            try await server.answer(request, channel: Self.channel)
        }
        try Task.checkCancellation()
        if isCut.withLock({ $0 }) { throw TransportError(.unreachable, "the connection broke") }
        guard response.body.count <= request.maximumResponse else {
            throw TransportError(.tooLarge, "the answer is larger than \(request.maximumResponse) bytes")
        }
        request.onReceive?(response.body.count)
        return response
    }

    /// Runs the server's clean-up, which a real server runs once a minute.
    package func cleanUp() async throws { try await server.cleanUp() }

    /// Makes all sync tokens invalid, as after a backup was restored.
    package func invalidateSyncTokens() async throws { try await server.invalidateSyncTokens() }

    /// Removes the temporary files of the storage.
    package func putAway() throws { try server.putAway() }
}
