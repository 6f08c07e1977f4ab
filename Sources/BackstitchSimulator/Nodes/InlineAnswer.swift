import Backstitch
import BackstitchSupport
import HTTPTypes
import Hummingbird
import NIOCore

/// An answer of an ``InlineZoneServer``.
struct InlineAnswer: Sendable {
    /// The HTTP status code.
    var status: Int
    /// The names and values of the headers.
    var headers: [(name: String, value: String)] = []
    /// The whole body of the answer.
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

/// Collects the pieces of a response's body.
private final class Pieces: ResponseBodyWriter {
    let bytes = Locked<[UInt8]>([])

    func write(_ buffer: ByteBuffer) async throws {
        bytes.withLock { $0.append(contentsOf: buffer.readableBytesView) }
    }

    func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
