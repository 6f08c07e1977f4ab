import Backstitch
import BackstitchSupport
package import Foundation

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Takes connections at a place of this machine until it is stopped.
package final class Listener: Sendable {
    private let socket: Socket
    private let place: SocketPlace
    private let isStopped = Locked(false)

    package init(at place: SocketPlace) throws {
        let socket = Socket(place.newSocket())
        guard place.withAddress({ bind(socket.descriptor, $0, $1) }) == 0, listen(socket.descriptor, 64) == 0 else {
            throw TestFailure("nothing can listen at \(place)")
        }
        self.socket = socket
        self.place = if case .port = place { .port(try Self.port(of: socket)) } else { place }
    }

    /// Where it listens, be the port the system's choice.
    package var port: Int {
        get throws {
            guard case .port(let port) = place else { throw TestFailure("\(place) is no port") }
            return port
        }
    }

    /// Where it can be reached over HTTP.
    package var url: URL {
        get throws {
            let port = try port
            guard let url = URL(string: "http://127.0.0.1:\(port)") else {
                throw TestFailure("port \(port) makes no address")
            }
            return url
        }
    }

    /// Hands each connection to `serve`, one after the other, in a thread of its own.
    package func forEachConnection(_ serve: @escaping @Sendable (Socket) -> Void) {
        Thread { [self] in
            while true {
                let descriptor = accept(socket.descriptor, nil, nil)
                let client = descriptor < 0 ? nil : Socket(descriptor)
                if isStopped.withLock({ $0 }) { return }
                if let client { serve(client) } else { Thread.sleep(forTimeInterval: 0.01) }
            }
        }.start()
    }

    /// Takes no more connections.
    package func stop() {
        isStopped.withLock { $0 = true }
        // Wakes the thread on Linux; elsewhere a last connection does.
        socket.hangUp()
        _ = Socket(to: place)
    }

    private static func port(of socket: Socket) throws -> Int {
        var address = sockaddr_in(), length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket.descriptor, $0, &length) }
        }
        guard result == 0 else { throw TestFailure("a socket has no address") }
        return Int(in_port_t(bigEndian: address.sin_port))
    }
}
