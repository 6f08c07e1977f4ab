import Backstitch
import Foundation

@testable import BackstitchServer

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A TCP connection on which a test says exactly what it wants, byte by byte.
final class RawConnection: Sendable {
    private let descriptor: Int32
    private let hasEnded = Locked(false)

    init(_ base: String) throws {
        guard let port = URL(string: base)?.port else { throw TestFailure("no port in \(base)") }
        #if canImport(Glibc) || canImport(Musl)
        let kind = Int32(SOCK_STREAM.rawValue)
        #else
        let kind = SOCK_STREAM
        #endif
        descriptor = socket(AF_INET, kind, 0)
        guard descriptor >= 0 else { throw SystemError.last("socket", base) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw SystemError.last("connect", base) }
    }

    func send(_ text: String) async throws {
        try await BlockingWork.run { [descriptor] in
            let bytes = Array(text.utf8)
            guard bytes.withUnsafeBytes({ write(descriptor, $0.baseAddress, $0.count) }) == bytes.count else {
                throw SystemError.last("write", "socket")
            }
        }
    }

    /// Waits until something comes, or the server closes the connection.
    func receive() async throws {
        try await BlockingWork.run { [descriptor] in
            var byte: UInt8 = 0
            guard read(descriptor, &byte, 1) >= 0 else { throw SystemError.last("read", "socket") }
        }
    }

    /// Everything that comes until the server closes the connection.
    ///
    /// - Throws: when it is still open after `seconds`.
    func readToEnd(within seconds: Int) async throws -> String {
        try await BlockingWork.run { [descriptor] in
            var limit = timeval(tv_sec: seconds, tv_usec: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
            var result: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
                if count == 0 || (count < 0 && errno == ECONNRESET) { return String(decoding: result, as: UTF8.self) }
                guard count > 0 else { throw TestFailure("the connection is still open after \(seconds) s") }
                result += buffer[..<count]
            }
        }
    }

    /// Closes the connection. Once only: its descriptor may be another's by then.
    func end() {
        let isFirst = hasEnded.withLock { hasEnded in
            defer { hasEnded = true }
            return !hasEnded
        }
        if isFirst { close(descriptor) }
    }

    deinit { end() }
}
