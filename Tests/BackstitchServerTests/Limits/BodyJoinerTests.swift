import CloudWire
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import BackstitchServer

@Suite("parts of a body that come together are joined") struct BodyJoinerTests {
    private let head = HTTPRequestPart.head(HTTPRequest(method: .post, scheme: "http", authority: "a", path: "/"))

    /// The parts that a handler behind the joiner sees.
    private func parts(of channel: EmbeddedChannel) throws -> [HTTPRequestPart] {
        var parts: [HTTPRequestPart] = []
        while let part = try channel.readInbound(as: HTTPRequestPart.self) { parts.append(part) }
        return parts
    }

    private func body(_ bytes: [UInt8]) -> HTTPRequestPart { .body(ByteBuffer(bytes: bytes)) }

    @Test("a thousand chunks of a byte that come in one read are one part, between head and end")
    func chunks() throws {
        let channel = EmbeddedChannel(handler: BodyJoiner())
        let pipeline = channel.pipeline
        let bytes = (0..<1_000).map { UInt8(truncatingIfNeeded: $0) }
        pipeline.fireChannelRead(head)
        for byte in bytes { pipeline.fireChannelRead(body([byte])) }
        pipeline.fireChannelRead(HTTPRequestPart.end(nil))
        pipeline.fireChannelReadComplete()
        #expect(try parts(of: channel) == [head, body(bytes), .end(nil)])
        _ = try channel.finish()
    }

    @Test("nothing waits for a later read, and a part of 64 KiB for no further one")
    func reads() throws {
        let channel = EmbeddedChannel(handler: BodyJoiner())
        let pipeline = channel.pipeline
        pipeline.fireChannelRead(head)
        pipeline.fireChannelRead(body([1]))
        pipeline.fireChannelReadComplete()
        #expect(try parts(of: channel) == [head, body([1])])
        let large = [UInt8](repeating: 7, count: 40_000)
        for _ in 0..<4 { pipeline.fireChannelRead(body(large)) }
        #expect(try parts(of: channel) == [body(large + large), body(large + large)])
        pipeline.fireChannelRead(body([2]))
        // A client that disconnects in the middle has sent this nevertheless.
        pipeline.fireChannelInactive()
        #expect(try parts(of: channel) == [body([2])])
        _ = try? channel.finish()
    }

    @Test("a body of very many small parts is refused, and one of larger parts is not")
    func manyParts() throws {
        for (size, isRefused) in [(1, true), (BodyJoiner.bytesOfPart - 1, true), (BodyJoiner.bytesOfPart, false)] {
            let channel = EmbeddedChannel(handler: BodyJoiner())
            channel.pipeline.fireChannelRead(head)
            let part = body([UInt8](repeating: 7, count: size))
            for _ in 0..<BodyJoiner.freeParts { channel.pipeline.fireChannelRead(part) }
            try channel.throwIfErrorCaught()
            for _ in 0..<20 * BodyJoiner.freeParts { channel.pipeline.fireChannelRead(part) }
            channel.pipeline.fireChannelReadComplete()
            if isRefused {
                let error = #expect(throws: WireError.self) { try channel.throwIfErrorCaught() }
                #expect(error?.isLimitExceeded == true)
            } else {
                try channel.throwIfErrorCaught()
            }
            let received = try parts(of: channel).reduce(0) { count, part in
                if case .body(let bytes) = part { count + bytes.readableBytes } else { count }
            }
            let all = 21 * BodyJoiner.freeParts * size
            #expect(isRefused ? received < all : received == all)
            // Nothing after a refused body is read.
            channel.pipeline.fireChannelRead(head)
            #expect(try parts(of: channel).isEmpty == isRefused)
            _ = try? channel.finish()
        }
    }

    @Test("a second request in the same read keeps its place")
    func pipelined() throws {
        let channel = EmbeddedChannel(handler: BodyJoiner())
        let pipeline = channel.pipeline
        for _ in 0..<2 {
            for part in [head, body([1]), body([2]), .end(nil)] { pipeline.fireChannelRead(part) }
        }
        pipeline.fireChannelReadComplete()
        let one = [head, body([1, 2]), HTTPRequestPart.end(nil)]
        #expect(try parts(of: channel) == one + one)
        _ = try channel.finish()
    }
}
