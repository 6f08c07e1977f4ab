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
