import Foundation
import Harness

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A connection to the zone server that only sends requests and reads answers. So the server's time is measured, not a
/// client's.
final class ServerLine {
    private static let container = "iCloud.bench/development"

    private let socket: Int32
    private let user: String
    private var received: [UInt8] = []

    /// Connects to `http://address:port`, as that user of a server in development mode.
    init(_ url: String, user: String) throws {
        guard let place = URLComponents(string: url), let host = place.host, let port = place.port else {
            throw BenchmarkError("\(url) is no address of a server")
        }
        self.user = user
        #if canImport(Glibc)
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        socket = Darwin.socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr(host)
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { throw BenchmarkError("no connection to \(url): error \(errno)") }
    }

    deinit { close(socket) }

    /// Sends a request to an endpoint of the private database, or of devices, and returns the answer's body.
    func ask(_ endpoint: String, _ body: String) throws -> ServerAnswer {
        let isOfDevice = endpoint.hasPrefix("tokens/")
        let path = isOfDevice ? "/device/1/\(Self.container)" : "/database/1/\(Self.container)/private"
        try send(
            "POST \(path)/\(endpoint)?ckWebAuthToken=\(user) HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Backstitch-Extensions: 1\r\n"
                + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        return try answer(to: endpoint)
    }

    /// Begins to wait for news at an address, without reading the answer.
    func listen(_ address: String) throws {
        guard let place = URLComponents(string: address) else { throw BenchmarkError("\(address) is no address") }
        try send(
            "GET \(place.percentEncodedPath)?\(place.percentEncodedQuery ?? "") HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    }

    private static func write(_ socket: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Glibc)
        Glibc.send(socket, bytes.baseAddress, bytes.count, 0)
        #else
        Darwin.send(socket, bytes.baseAddress, bytes.count, 0)
        #endif
    }

    private func send(_ text: String) throws {
        let bytes = Array(text.utf8)
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { Self.write(socket, $0) }
            guard count > 0 else { throw BenchmarkError("the server has closed the connection") }
            sent += count
        }
    }

    private func answer(to endpoint: String) throws -> ServerAnswer {
        let end = Array("\r\n\r\n".utf8)
        var headEnd: Int?
        while headEnd == nil {
            headEnd = received.firstRange(of: end)?.upperBound
            if headEnd == nil { try read(until: received.count + 1) }
        }
        let start = headEnd ?? 0
        let head = String(decoding: received[..<start], as: UTF8.self).lowercased()
        let length = head.firstMatch(of: /content-length: *([0-9]+)/).flatMap { Int($0.1) } ?? 0
        try read(until: start + length)
        let answer = ServerAnswer(bytes: Array(received[start..<start + length]))
        // This is done after a refusal, too: the next answer begins behind it.
        received.removeFirst(start + length)
        guard head.hasPrefix("http/1.1 200") else {
            throw BenchmarkError("\(endpoint): \(head.prefix { $0 != "\r\n" && $0 != "\n" }): \(answer)")
        }
        return answer
    }

    private func read(until count: Int) throws {
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        while received.count < count {
            let got = recv(socket, &buffer, buffer.count, 0)
            guard got > 0 else { throw BenchmarkError("the server has closed the connection") }
            received += buffer[..<got]
        }
    }
}

/// The limit of open files and connections of this process.
enum DescriptorLimit {
    /// Raises the limit to the highest value that the system allows.
    static func raise() throws {
        var limit = rlimit()
        #if canImport(Glibc)
        let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
        let kind = RLIMIT_NOFILE
        #endif
        guard getrlimit(kind, &limit) == 0 else { throw BenchmarkError("the system tells no limit: error \(errno)") }
        limit.rlim_cur = limit.rlim_max
        guard setrlimit(kind, &limit) == 0 else { throw BenchmarkError("the limit cannot be raised: error \(errno)") }
    }
}
