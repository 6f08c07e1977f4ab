package import Foundation

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Where a socket of this machine listens.
package enum SocketPlace: Sendable {
    /// A file.
    case path(URL)
    /// A port of 127.0.0.1; 0 is one that the system chooses.
    case port(Int)
    /// A port of 127.0.0.`machine`.
    case address(machine: UInt8, port: Int)

    /// A new socket for such a place, closed to programs that this one starts.
    func newSocket() -> Int32 {
        #if canImport(Glibc)
        let kind = Int32(SOCK_STREAM.rawValue)
        #else
        let kind = SOCK_STREAM
        #endif
        let descriptor =
            switch self {
            case .path: socket(AF_UNIX, kind, 0)
            case .port, .address: socket(AF_INET, kind, 0)
            }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        return descriptor
    }

    /// Calls the system with the address.
    func withAddress(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        switch self {
        case .path(let url):
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: url.path.utf8.prefix($0.count - 1)) }
            return Self.general(&address, body)
        case .port(let port): return Self.address(machine: 1, port: port).withAddress(body)
        case .address(let machine, let port):
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = in_port_t(port).bigEndian
            address.sin_addr.s_addr = (in_addr_t(0x7F00_0000) | in_addr_t(machine)).bigEndian
            return Self.general(&address, body)
        }
    }

    private static func general<Address>(
        _ address: inout Address, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<Address>.size))
            }
        }
    }
}
