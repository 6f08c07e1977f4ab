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

    /// Calls `take` with each piece of the body. If the body is too slow, its connection is closed.
    ///
    /// - Throws: BAD_REQUEST "limit exceeded" for a body larger than `limit` bytes; BAD_REQUEST for an encoded body.
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

    /// Reads the whole body. The pass counts the received bytes, not the announced length.
    ///
    /// - Throws: THROTTLED or TRY_AGAIN_LATER if too many bytes are held already.
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
        // Reading the rest would be useless. The client gets a moment to read the answer before the connection is
        // closed.
        let channel = channel
        channel.eventLoop.scheduleTask(in: .seconds(2)) { channel.close(promise: nil) }
        return WireError(
            .badRequest, "\(WireError.limitExceededPrefix): the body is larger than \(limit) bytes")
    }
}
