import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Stands between a store and its server, and loses the server's answer to a `COMMIT` when it is told to: forwarded, and carried
/// out, but never heard of.
final class LossyProxy: Sendable {
    /// The folder of its socket, to be named as the host.
    let folder: URL
    private let target: String
    private let listener: Int32
    private let losesCommit = Mutex(false)
    /// How many answers were lost.
    let lost = Mutex(0)

    init(to server: PostgresServer) throws {
        folder = URL(fileURLWithPath: "/tmp/backstitch-proxy-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        target = server.folder.appending(path: ".s.PGSQL.5432").path
        let listener = Self.newSocket()
        self.listener = listener
        let bound = Self.withAddress(folder.appending(path: ".s.PGSQL.5432").path) { bind(listener, $0, $1) }
        guard bound == 0, listen(listener, 16) == 0 else { throw PostgresServer.Failure("the proxy cannot listen") }
        Thread { [self] in
            while true {
                let client = accept(listener, nil, nil)
                if client < 0 { return }
                serve(client)
            }
        }.start()
    }

    /// From now on the next answer to a `COMMIT` is lost.
    func loseNextCommit() { losesCommit.withLock { $0 = true } }

    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
        try? FileManager.default.removeItem(at: folder)
    }

    private func serve(_ client: Int32) {
        let server = Self.newSocket()
        guard Self.withAddress(target, { connect(server, $0, $1) }) == 0 else {
            close(client)
            return
        }
        Thread { [self] in
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = read(client, &buffer, buffer.count)
                if count <= 0 { break }
                // The statement alone: a transaction begins with READ COMMITTED.
                let isCommit = buffer[..<count].firstRange(of: Array("COMMIT\0".utf8)) != nil
                if isCommit,
                    losesCommit.withLock({ armed in
                        defer { armed = false }; return armed
                    })
                {
                    lost.withLock { $0 += 1 }
                    // The answer goes to nobody; when it is there, the transaction is over.
                    shutdown(client, Int32(SHUT_WR))
                }
                if write(server, buffer, count) != count { break }
            }
            shutdown(server, Int32(SHUT_WR))
        }.start()
        Thread {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = read(server, &buffer, buffer.count)
                if count <= 0 { break }
                _ = send(client, buffer, count, Int32(MSG_NOSIGNAL))
            }
            close(client)
            close(server)
        }.start()
    }

    private static func newSocket() -> Int32 {
        #if canImport(Glibc)
        socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #else
        socket(AF_UNIX, SOCK_STREAM, 0)
        #endif
    }

    private static func withAddress(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
