package import Foundation

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Calls for sockets in the file system, as tests need them.
package enum Sockets {
    /// A socket that listens at a path.
    package static func listener(at path: URL) throws -> Int32 {
        let listener = newSocket()
        guard withAddress(path.path, { bind(listener, $0, $1) }) == 0, listen(listener, 64) == 0 else {
            throw PostgresServer.Failure("nothing can listen at \(path.path)")
        }
        return listener
    }

    /// A socket that is connected to a path; nil where nobody listens.
    package static func connected(to path: URL) -> Int32? {
        let socket = newSocket()
        if withAddress(path.path, { connect(socket, $0, $1) }) == 0 { return socket }
        close(socket)
        return nil
    }

    /// Sends all of it; tells whether the other side took it.
    @discardableResult
    package static func send(_ bytes: some Collection<UInt8>, to socket: Int32) -> Bool {
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count <= 0 { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Waits for bytes, and returns those that have arrived; nil at the end.
    package static func receive(from socket: Int32) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = read(socket, &buffer, buffer.count)
        return count > 0 ? Array(buffer[..<count]) : nil
    }

    /// A socket for TCP.
    package static func tcp() -> Int32 {
        #if canImport(Glibc)
        socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        socket(AF_INET, SOCK_STREAM, 0)
        #endif
    }

    /// Binds a socket to a port of this machine that the system chooses.
    package static func bindToAnyPort(_ socket: Int32) -> Int? {
        var address = sockaddr_in(), length = socklen_t(MemoryLayout<sockaddr_in>.size)
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { general in
                guard bind(socket, general, length) == 0, getsockname(socket, general, &length) == 0 else { return nil }
                return Int(UInt16(bigEndian: pointer.pointee.sin_port))
            }
        }
    }

    /// A socket that is connected to a port of this machine; nil where nobody listens.
    package static func connected(toPort port: Int) -> Int32? {
        let socket = tcp()
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if result == 0 { return socket }
        close(socket)
        return nil
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
