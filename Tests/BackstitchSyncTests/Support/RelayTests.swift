import Foundation
import TestSupport
import Testing

@Suite("relays of tests")
struct RelayTests {
    @Test("a connection that has ended shuts nothing that others have opened since")
    func endedConnections() async throws {
        // A server that hangs up at once.
        let server = try Listener(at: .port(0))
        defer { server.stop() }
        server.forEachConnection { $0.hangUp() }
        let port = try server.port
        let relay = Relay(try Listener(at: .port(0))) {
            Socket(to: .port(port))
        } judge: { _ in
            { _, _ in .passes }
        }
        defer { relay.stop() }
        let place = SocketPlace.port(try #require(try relay.url.port))
        for _ in 0..<20 {
            var client = Socket(to: place)
            #expect(client?.receive() == nil)
            // They get the lowest free descriptors. If the connection has released any, these are among them.
            let others = try (0..<4).map { _ in try Listener(at: .port(0)) }
            client = nil
            #expect(try await eventually { relay.connectionCount == 0 })
            for other in others {
                let port = try other.port
                #expect(Socket(to: .port(port)) != nil, "the listener at \(port) was shut by another's connection")
            }
        }
    }

    @Test("a stopped relay cuts its connections, and takes no more")
    func stopped() async throws {
        let server = try Listener(at: .port(0))
        defer { server.stop() }
        server.forEachConnection { client in
            while let bytes = client.receive() { client.send(bytes) }
        }
        let port = try server.port
        let relay = Relay(try Listener(at: .port(0))) {
            Socket(to: .port(port))
        } judge: { _ in
            { _, _ in .passes }
        }
        let place = SocketPlace.port(try #require(try relay.url.port))
        let client = try #require(Socket(to: place))
        client.send(Array("here".utf8))
        #expect(client.receive() == Array("here".utf8))
        relay.stop()
        #expect(client.receive() == nil)
        #expect(try await eventually { relay.connectionCount == 0 })
        #expect(Socket(to: place)?.receive() == nil)
    }
}
