package import BackstitchServer
import BackstitchSupport
package import BackstitchSync
import NIOCore
import NIOEmbedded

/// A zone server in this process, and the line to it: requests are answered by the task that sends them, without
/// sockets, and without the weather of a world's network.
package final class InlineTransport: Transport {
    /// Is told that the server cuts the connection of the request under way.
    @TaskLocal private static var isCut: Locked<Bool>?

    /// Stands for every connection. Of use to any thread, and nobody looks at what is written to it.
    private static let channel: any Channel = NIOAsyncTestingChannel()

    private let server: InlineZoneServer

    /// A line to a server with an empty storage in memory. Faults of the configuration that cut connections cut this
    /// one. Blocks.
    ///
    /// - Throws: ``ZoneServerError`` for a configuration that no server can have.
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

    /// Does what the server does once a minute.
    package func cleanUp() async throws { try await server.cleanUp() }

    /// Makes all sync tokens invalid, as after a backup was restored.
    package func invalidateSyncTokens() async throws { try await server.invalidateSyncTokens() }

    /// Lets go of the storage's files.
    package func putAway() throws { try server.putAway() }
}
