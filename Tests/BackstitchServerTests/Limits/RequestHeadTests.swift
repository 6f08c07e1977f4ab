import BackstitchSupport
import Foundation
import TestSupport
import Testing

@testable import BackstitchServer

/// Requests that are no HTTP/1.1, on connections of their own.
@Suite("requests that are not framed as HTTP has it") struct RequestHeadTests {
    private static let path = "/database/1/iCloud.test/development/private/zones/list"
    private static let host = "Host: localhost\r\n"

    /// Sends bytes and nothing more, and gives the answers.
    private func answers(to text: String, _ base: String, _ count: Int = 1) async throws -> [String] {
        let connection = try RawConnection(base)
        defer { connection.end() }
        try await connection.send(text)
        let all = try await connection.readToEnd(within: 60)
        return all.components(separatedBy: "HTTP/1.1 ").dropFirst().map { String($0) }
    }

    @Test(
        "are refused with 400, whatever is wrong, and the message says what to do",
        arguments: [
            ("", "Content-Length: 2\r\n\r\n{}", "Host"),
            (host + host, "Content-Length: 2\r\n\r\n{}", "Host"),
            (host + "host: other\r\n", "Content-Length: 2\r\n\r\n{}", "Host"),
            (host, "Transfer-Encoding: snail\r\n\r\n{}", "Transfer-Encoding"),
            (host, "Transfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", "Transfer-Encoding"),
            (host, "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n{}\r\n0\r\n\r\n", "body"),
            (host, "Transfer-Encoding: chunked\r\n\r\n2\r\n{}no chunk\r\n", "body"),
        ])
    func refused(_ hosts: String, _ rest: String, _ words: String) async throws {
        try await withServer { client, _ in
            let all = try await answers(
                to: "POST \(Self.path) HTTP/1.1\r\n\(hosts)Connection: close\r\n\(rest)", client.base)
            #expect(all.count == 1)
            #expect(all.first?.hasPrefix("400") == true, "\(all)")
            #expect(all.first?.contains("BAD_REQUEST") == true && all.first?.contains(words) == true, "\(all)")
        }
    }

    @Test("trailers beyond the bound of heads are refused too")
    func trailers() async throws {
        try await withServer { client, _ in
            let trailers = (0..<200).map { "X-T\($0): \(String(repeating: "x", count: 400))\r\n" }.joined()
            let all = try await answers(
                to: "POST \(Self.path) HTTP/1.1\r\n\(Self.host)Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + "2\r\n{}\r\n0\r\n\(trailers)\r\n", client.base)
            #expect(all.first?.hasPrefix("400") == true, "\(all)")
        }
    }

    @Test("the refusal comes behind the answers to the requests before it, and the next request is answered")
    func inLine() async throws {
        try await withServer { client, _ in
            let good = "GET /health HTTP/1.1\r\n\(Self.host)\r\n"
            let last = "GET /health HTTP/1.1\r\n\(Self.host)Connection: close\r\n\r\n"
            let all = try await answers(to: good + "GET /health HTTP/1.1\r\n\r\n" + good + last, client.base)
            #expect(all.map { $0.prefix(3) } == ["200", "400", "200", "200"])
        }
    }

    @Test("HTTP/1.0 needs no Host, and one of HTTP/1.1 is answered whatever it names")
    func good() async throws {
        try await withServer { client, _ in
            for head in ["HTTP/1.0\r\n", "HTTP/1.1\r\nConnection: close\r\nHost: localhost\r\n"] {
                let all = try await answers(to: "GET /health \(head)\r\n", client.base)
                #expect(all.first?.hasPrefix("200") == true, "\(all)")
            }
        }
    }

    @Test("the administration refuses them too")
    func administration() async throws {
        try await withServer({ $0.administration = .init(port: 0) }) { _, server in
            let base = try #require(server.administrationURL?.absoluteString)
            let all = try await answers(
                to: "GET /health HTTP/1.1\r\nConnection: close\r\n\(Self.host)\(Self.host)\r\n", base)
            #expect(all.first?.hasPrefix("400") == true, "\(all)")
        }
    }
}
