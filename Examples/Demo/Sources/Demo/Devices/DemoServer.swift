import Backstitch
import BackstitchServer
import Foundation
import Logging

/// A server of the demonstration's own, in this process and on loopback.
actor DemoServer {
    let url: URL
    private let storage: URL
    private var server: ZoneServer?

    /// Starts a server that keeps its data in `storage`, on a free port.
    init(storage: URL) async throws {
        self.storage = storage
        (server, url) = try await Self.start(storage: storage, port: 0)
    }

    /// Ends the server: every device is offline from now on.
    func stop() async throws {
        try await server?.stop()
        server = nil
    }

    /// Starts a server on the same data and port again.
    func restart() async throws {
        try await stop()
        server = try await Self.start(storage: storage, port: url.port ?? 0).0
    }

    private static func start(storage: URL, port: Int) async throws -> (ZoneServer, URL) {
        var configuration = ZoneServerConfiguration(port: port, storage: .directory(storage))
        configuration.containers = .any
        configuration.shutdownGrace = 1
        configuration.logger = Logger(label: "server")
        let server = try ZoneServer(configuration: configuration)
        return (server, try await server.start())
    }
}
