import Backstitch
import BackstitchSupport
import CloudWire
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import BackstitchServer

@Suite struct ConnectionTests {
    private let path = "/database/1/iCloud.test/development/private/records/modify"

    @Test("a client that never finishes its head is cut off")
    func slowHead() async throws {
        try await withServer({ $0.idleTimeout = 1 }) { client, _ in
            let connection = try RawConnection(client.base)
            defer { connection.end() }
            try await connection.send("POST \(path) HTTP/1.1\r\nHost: localhost\r\nX-")
            #expect(try await connection.readToEnd(within: 60).isEmpty)
        }
    }

    @Test("a client that waits with its body for 100 Continue is told to go on")
    func expectation() async throws {
        try await withServer({ $0.bodyTimeout = 5 }) { client, _ in
            let connection = try RawConnection(client.base)
            defer { connection.end() }
            let path = "/database/1/iCloud.test/development/private/zones/list"
            try await connection.send(
                "POST \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nExpect: 100-continue\r\n"
                    + "Content-Length: 2\r\n\r\n")
            try await connection.receive()
            try await connection.send("{}")
            let answers = try await connection.readToEnd(within: 60).components(separatedBy: "\r\n\r\n")
            // The first byte was taken before.
            #expect(answers[0] == "TTP/1.1 100 Continue")
            #expect(answers.count == 3 && answers[1].hasPrefix("HTTP/1.1 200 OK"))
        }
    }

    @Test("it is told so behind the answers to its requests before, not in the middle of them")
    func expectationInLine() async throws {
        try await withServer({ $0.bodyTimeout = 5 }) { client, _ in
            let connection = try RawConnection(client.base)
            defer { connection.end() }
            let get = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
            let path = "/database/1/iCloud.test/development/private/zones/list"
            try await connection.send(
                get + get + "POST \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                    + "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n")
            let before = try await connection.read(until: "100 Continue\r\n\r\n", within: 60)
            #expect(before.components(separatedBy: "HTTP/1.1 ").map { $0.prefix(3) } == ["", "200", "200", "100"])
            try await connection.send("{}")
            #expect(try await connection.readToEnd(within: 60).hasPrefix("HTTP/1.1 200 OK"))
        }
    }

    @Test("a client that sends its body a byte now and then is cut off")
    func slowBody() async throws {
        try await withServer({ $0.bodyTimeout = 1 }) { client, _ in
            let connection = try RawConnection(client.base)
            defer { connection.end() }
            try await connection.send("POST \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n")
            let trickle = Task {
                while !Task.isCancelled {
                    try await connection.send("x")
                    try await Task.sleep(for: .milliseconds(100))
                }
            }
            let answer = try await connection.readToEnd(within: 60)
            trickle.cancel()
            #expect(!answer.contains("200 OK"))
        }
    }

    @Test("a body that says it is too large is refused before it comes, and the connection ends")
    func largeBody() async throws {
        try await withServer { client, _ in
            let connection = try RawConnection(client.base)
            defer { connection.end() }
            try await connection.send("POST \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10000000000\r\n\r\n")
            let answer = try await connection.readToEnd(within: 60)
            #expect(answer.hasPrefix("HTTP/1.1 400"))
            #expect(answer.contains("limit exceeded"))
        }
    }

    @Test("an upload that breaks off leaves nothing behind")
    func brokenUpload() async throws {
        try await withServer { client, server in
            let answer: AssetUploadResponse = try await client.call(
                .assetsUpload, AssetUploadRequest(tokens: [.init(recordName: "A", recordType: "T", fieldName: "f")]))
            let address = try #require(URL(string: answer.tokens[0].url))
            let service = try #require(server.state.withLock { $0.service })
            let incoming = service.context.storage.assets.incoming("")
            let connection = try RawConnection(client.base)
            try await connection.send(
                "POST \(address.path)?\(address.query ?? "") HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nabc"
            )
            #expect(
                try await eventually {
                    try FileManager.default.contentsOfDirectory(atPath: incoming.path).count == 1
                })
            connection.end()
            #expect(
                try await eventually {
                    try FileManager.default.contentsOfDirectory(atPath: incoming.path).isEmpty
                })
        }
    }

    @Test("a client that reads nothing of its answer is cut off, and the answer counts for nobody any more")
    func unreadAnswer() async throws {
        // More than the system's buffers hold of an unread answer.
        try await withServer({
            $0.extendedLimits.answer = 40 << 20
            $0.idleTimeout = 3
        }) { client, server in
            let (connection, count) = try await client.extended().askForLargeAnswer()
            defer { connection.end() }
            let ledger = try server.working.context.ledger
            #expect(try await eventually { ledger.held(.bytes, of: Authenticator.developmentUser) == 0 })
            #expect(try await connection.readToEnd(within: 60).utf8.count < count)
        }
    }

    @Test("a client that reads its answer slowly gets all of it, however long it takes")
    func slowReader() async throws {
        try await withServer({
            $0.extendedLimits.answer = 40 << 20
            $0.idleTimeout = 2
        }) { client, _ in
            let (connection, count) = try await client.extended().askForLargeAnswer()
            defer { connection.end() }
            // 500 times 64 KB: more than two of these times.
            #expect(try await connection.readToEnd(within: 60, pause: 0.01).utf8.count > count)
        }
    }

    @Test("what is no HTTP is answered with 400 and an end")
    func noHTTP() async throws {
        try await withServer { client, _ in
            let connection = try RawConnection(client.base)
            defer { connection.end() }
            try await connection.send("\u{16}\u{3}\u{1} hello\r\n\r\n")
            #expect(try await connection.readToEnd(within: 60).hasPrefix("HTTP/1.1 400"))
        }
    }

    @Test("a connection serves one request after another")
    func keepsAlive() async throws {
        try await withServer { client, _ in
            let connection = try RawConnection(client.base)
            defer { connection.end() }
            let list = "GET /database/1/iCloud.test/development/private/zones/list HTTP/1.1\r\nHost: localhost\r\n"
            try await connection.send(list + "\r\n" + list + "Connection: close\r\n\r\n")
            let answers = try await connection.readToEnd(within: 60)
            #expect(answers.components(separatedBy: "HTTP/1.1 200 OK").count == 3)
        }
    }
}
