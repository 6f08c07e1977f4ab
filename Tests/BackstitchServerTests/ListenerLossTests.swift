import Backstitch
import BackstitchSupport
import CloudWire
import Foundation
import Logging
import Testing

@testable import BackstitchServer

#if canImport(Glibc)
import Glibc

@Suite("a server whose socket is closed by the system", .timeLimit(.minutes(5)))
struct ListenerLossTests {
    @Test("ends, though clients are connected, with an error that says so, and has closed its storage")
    func listenerLost() async throws {
        try await withFolder { folder in
            var configuration = ZoneServerConfiguration(port: 0, storage: .directory(folder))
            configuration.containers = .any
            configuration.logger.logLevel = .critical
            // The client's connection stays open for as long as the server lets it.
            configuration.idleTimeout = 3_600
            let server = try ZoneServer(configuration: configuration)
            let url = try await server.start()
            let client = TestClient(base: url.absoluteString)
            try await client.makeZone()
            try await client.save("kept")
            let listener = try #require(Self.listener(at: url.port))
            #expect(shutdown(listener, Int32(SHUT_RDWR)) == 0)
            let error = try #require(await server.ended())
            #expect(error.code == .addressUnavailable)
            let place = "(127.0.0.1, port \(try #require(url.port)))"
            #expect(error.description.contains("closed the server's listening socket \(place)"))
            // Its storage is free for the next one, with what it had.
            let next = try ZoneServer(configuration: configuration)
            let again = TestClient(base: try await next.start().absoluteString)
            #expect(try await again.lookup(["kept"]).map { try $0.record().recordName } == ["kept"])
            try await next.stop()
        }
    }

    /// The descriptor of this program that listens at a port.
    private static func listener(at port: Int?) -> Int32? {
        (3..<4096).first { descriptor in
            var isListening: Int32 = 0
            var size = socklen_t(MemoryLayout<Int32>.size)
            guard getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &isListening, &size) == 0, isListening != 0 else {
                return false
            }
            var address = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let result = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
            }
            return result == 0 && Int(in_port_t(bigEndian: address.sin_port)) == port
        }
    }
}

extension ZoneServer {
    /// Waits until a server that `start()` began has ended by itself, and returns the error.
    fileprivate func ended() async -> ZoneServerError? {
        guard let task = state.withLock({ $0.task }) else { return nil }
        guard case .failure(let error) = await task.result else { return nil }
        return error as? ZoneServerError
    }
}
#endif
