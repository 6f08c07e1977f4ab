#if os(Linux)
import BackstitchTestKit
import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchServer

/// A server whose descriptors run out.
@Suite struct DescriptorTests {
    @Test("accepting goes on when descriptors had run out, and requests are answered again")
    func runOut() async throws {
        try await withFolder { folder in
            let roomy = try await BlockingWork.run { try ServerProcess(storage: folder.appending(path: "zones")) }
            let client = TestClient(base: roomy.url)
            try await client.makeZone()
            let needed = try roomy.process.descriptors()
            #expect(roomy.process.stop() == 0)
            // A few more than it takes to serve one.
            let tight = try await BlockingWork.run {
                try ServerProcess(storage: folder.appending(path: "zones"), descriptors: needed + 4)
            }
            defer { _ = tight.process.stop() }
            var open: [RawConnection] = []
            defer { for connection in open { connection.end() } }
            for _ in 0..<60 { open.append(try RawConnection(tight.url)) }
            // It has taken as many as it can.
            #expect(try await eventually { try tight.process.descriptors() >= needed + 3 })
            #expect(tight.process.isRunning)
            for connection in open { connection.end() }
            open = []
            let again = TestClient(base: tight.url)
            #expect(
                try await eventually {
                    do { return try await again.lookup(["nobody"]).count == 1 } catch is WireError {
                        throw TestFailure("refused")
                    } catch {
                        // No connection yet.
                        return false
                    }
                })
        }
    }

    @Test("a download whose client takes its time has no file open meanwhile")
    func slowDownloads() async throws {
        try await withFolder { folder in
            let server = try await BlockingWork.run { try ServerProcess(storage: folder.appending(path: "zones")) }
            defer { _ = server.process.stop() }
            let client = TestClient(base: server.url)
            try await client.makeZone()
            // More than the system's buffers hold of unread bytes.
            let url = try await client.saveAsset("A", [UInt8](repeating: 1, count: 32 << 20))
            let path = url.dropFirst(client.base.count)
            let before = try server.process.descriptors()
            var open: [RawConnection] = []
            defer { for connection in open { connection.end() } }
            for _ in 0..<10 {
                open.append(try RawConnection(server.url))
                try await open[open.count - 1].send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n")
                try await open[open.count - 1].receive()
            }
            // A connection has one descriptor, and the server a few for other work.
            #expect(try await eventually { try server.process.descriptors() <= before + 10 + 4 })
        }
    }
}
#endif
