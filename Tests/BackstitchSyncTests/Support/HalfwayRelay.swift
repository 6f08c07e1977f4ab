import Backstitch
import Foundation
import TestSupport

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Stands between a device and the server, and hands on no more than so many bytes of a connection while it is armed: whoever sends more
/// is left in the middle.
final class HalfwayRelay: Sendable {
    let url: URL
    private let watch: @Sendable ([UInt8]) -> Void
    private let target: Int
    private let listener: Int32
    private let limit = Locked<Int?>(nil)
    private let reached: AsyncStream<Void>
    private let tell: AsyncStream<Void>.Continuation

    /// - Parameter watch: Is told what devices send.
    init(to server: URL, after bytes: Int? = nil, watch: @escaping @Sendable ([UInt8]) -> Void = { _ in }) throws {
        self.watch = watch
        guard let target = server.port else { throw PostgresServer.Failure("\(server) has no port") }
        self.target = target
        limit.withLock { $0 = bytes }
        (reached, tell) = AsyncStream.makeStream()
        let listener = Sockets.tcp()
        self.listener = listener
        guard let port = Sockets.bindToAnyPort(listener), listen(listener, 16) == 0,
            let url = URL(string: "http://127.0.0.1:\(port)")
        else { throw PostgresServer.Failure("the relay cannot listen") }
        self.url = url
        Thread { [self] in
            while true {
                let client = accept(listener, nil, nil)
                if client < 0 { return }
                serve(client)
            }
        }.start()
    }

    /// Waits until a connection has sent as much as is let through.
    func waitForHalf() async { for await _ in reached { return } }

    /// Lets connections that begin from now on send as much as they like.
    func letAllThrough() { limit.withLock { $0 = nil } }

    /// Ends: every connection goes with its device.
    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    private func serve(_ client: Int32) {
        guard let server = Sockets.connected(toPort: target) else {
            close(client)
            return
        }
        Thread { [self] in
            var passed = 0
            while let bytes = Sockets.receive(from: client) {
                watch(bytes)
                let most = limit.withLock { $0 } ?? .max
                if passed + bytes.count > most {
                    Sockets.send(bytes.prefix(max(0, most - passed)), to: server)
                    passed = most
                    tell.yield()
                    continue
                }
                passed += bytes.count
                if !Sockets.send(bytes, to: server) { break }
            }
            shutdown(server, Int32(SHUT_RDWR))
        }.start()
        Thread {
            while let bytes = Sockets.receive(from: server) { if !Sockets.send(bytes, to: client) { break } }
            close(client)
            close(server)
        }.start()
    }
}
