import Backstitch
import BackstitchSupport
import HTTPTypes
import Hummingbird
import NIOCore

/// An answer of an ``InlineZoneServer``.
struct InlineAnswer: Sendable {
    /// The status code.
    var status: Int
    /// Names and values of headers.
    var headers: [(name: String, value: String)] = []
    /// The whole body.
    var body: [UInt8] = []

    init(status: Int, body: [UInt8] = []) {
        self.status = status
        self.body = body
    }

    init(_ response: Response) async throws {
        status = response.status.code
        headers = response.headers.map { ($0.name.canonicalName, $0.value) }
        let pieces = Pieces()
        try await response.body.write(pieces)
        body = pieces.bytes.withLock { $0 }
    }
}

/// Collects a body.
private final class Pieces: ResponseBodyWriter {
    let bytes = Locked<[UInt8]>([])

    func write(_ buffer: ByteBuffer) async throws {
        bytes.withLock { $0.append(contentsOf: buffer.readableBytesView) }
    }

    func finish(_ trailingHeaders: HTTPFields?) async throws {}
}

/// An address, taken apart.
struct InlineAddress {
    let authority: String
    let path: String
    let query: Substring

    init(_ url: String) {
        let bytes = url.utf8
        let colon = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.startIndex
        let rest = bytes[colon...].drop { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/") }
        let host = rest.prefix { $0 != UInt8(ascii: "/") }
        authority = String(url[host.startIndex..<host.endIndex])
        let target = rest[host.endIndex...].prefix { $0 != UInt8(ascii: "?") }
        path = target.isEmpty ? "/" : String(url[target.startIndex..<target.endIndex])
        query = url[target.endIndex...].dropFirst()
    }
}
