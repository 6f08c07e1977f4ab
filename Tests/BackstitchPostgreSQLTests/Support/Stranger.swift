import Backstitch
import BackstitchSupport
import Foundation
import TestSupport

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A foreign server in PostgreSQL's place. It sends something else, and hangs up.
final class Stranger: Sendable {
    private let listener: Int32
    /// The times of the clients' connections.
    let visits = Locked<[ContinuousClock.Instant]>([])

    init(_ folder: URL, _ reply: String) throws {
        #if canImport(Glibc)
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #else
        let listener = socket(AF_UNIX, SOCK_STREAM, 0)
        #endif
        self.listener = listener
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = folder.appending(path: ".s.PGSQL.5432").path
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard bound == 0, listen(listener, 4) == 0 else { throw TestFailure("the stranger cannot listen") }
        Thread { [self] in
            while true {
                let client = accept(listener, nil, nil)
                if client < 0 { return }
                visits.withLock { $0.append(.now) }
                let bytes = Array(reply.utf8)
                _ = send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL))
                shutdown(client, Int32(SHUT_WR))
                var buffer = [UInt8](repeating: 0, count: 1024)
                while read(client, &buffer, buffer.count) > 0 {}
                close(client)
            }
        }.start()
    }

    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }
}
