import Backstitch
import Foundation
import TestSupport

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
    private let target: URL
    private let listener: Int32
    private let losesCommit = Locked(false)
    /// How many answers were lost.
    let lost = Locked(0)

    init(to server: PostgresServer) throws {
        folder = URL(fileURLWithPath: "/tmp/backstitch-proxy-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        target = server.folder.appending(path: ".s.PGSQL.5432")
        listener = try Sockets.listener(at: folder.appending(path: ".s.PGSQL.5432"))
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
        guard let server = Sockets.connected(to: target) else {
            close(client)
            return
        }
        Thread { [self] in
            while let bytes = Sockets.receive(from: client) {
                // The statement alone: a transaction begins with READ COMMITTED.
                let isCommit = bytes.firstRange(of: Array("COMMIT\0".utf8)) != nil
                if isCommit, isToLose() {
                    lost.withLock { $0 += 1 }
                    // The answer goes to nobody; when it is there, the transaction is over.
                    shutdown(client, Int32(SHUT_WR))
                }
                if !Sockets.send(bytes, to: server) { break }
            }
            shutdown(server, Int32(SHUT_WR))
        }.start()
        Thread {
            while let bytes = Sockets.receive(from: server) { Sockets.send(bytes, to: client) }
            close(client)
            close(server)
        }.start()
    }

    private func isToLose() -> Bool {
        losesCommit.withLock { armed in
            defer { armed = false }
            return armed
        }
    }
}
