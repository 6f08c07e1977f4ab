import BackstitchSupport
import CloudWire
import Foundation
import Hummingbird
import NIOCore

/// Reads bodies of requests within limits of size and time.
struct BodyReader: Sendable {
    let channel: any Channel
    /// Seconds for the whole body.
    let timeout: Int
    let pace: BodyPace

    /// Calls `take` with each piece of the body. A body that comes too slowly ends with its connection.
    ///
    /// - Throws: BAD_REQUEST "limit exceeded" when the body is larger than `limit` bytes.
    func read(
        _ request: Request, limit: Int, _ take: (ByteBuffer) async throws -> Void
    ) async throws {
        if let encoding = request.headers[.contentEncoding], !encoding.asciiLowercased.isSame(as: "identity") {
            throw WireError(
                .badRequest, "content encoding '\(encoding.shown(40))' is not supported; send the body plain")
        }
        if let length = request.headers[.contentLength].flatMap(Int.init), length > limit { throw tooLarge(limit) }
        let channel = channel
        let deadline = channel.eventLoop.scheduleTask(in: .seconds(Int64(timeout))) {
            channel.close(promise: nil)
        }
        defer { deadline.cancel() }
        let watch = BodyWatch(channel, pace)
        defer { watch.end() }
        var count = 0
        for try await piece in request.body {
            watch.pause(after: piece.readableBytes)
            count += piece.readableBytes
            guard count <= limit else { throw tooLarge(limit) }
            try await take(piece)
            watch.resume()
        }
    }

    /// The whole body. The pass holds the bytes that have come, whatever was announced.
    ///
    /// - Throws: THROTTLED or TRY_AGAIN_LATER when too many bytes are held already.
    func collect(_ request: Request, limit: Int, _ pass: RequestPass) async throws -> ByteBuffer {
        var result = ByteBuffer()
        try await read(request, limit: limit) { piece in
            var piece = piece
            try pass.hold(piece.readableBytes, .bytes)
            result.writeBuffer(&piece)
        }
        return result
    }

    private func tooLarge(_ limit: Int) -> WireError {
        // The rest of the body would be read to no purpose. The client gets a moment to read the answer first.
        let channel = channel
        channel.eventLoop.scheduleTask(in: .seconds(2)) { channel.close(promise: nil) }
        return WireError(
            .badRequest, "\(WireError.limitExceededPrefix): the body is larger than \(limit) bytes")
    }
}
