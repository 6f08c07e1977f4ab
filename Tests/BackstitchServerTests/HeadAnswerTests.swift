import BackstitchTestKit
import CloudWire
import CoreMetrics
import Foundation
import TestSupport
import Testing

@testable import BackstitchServer

/// HEAD on every address, and the next answer on the same connection. Bytes after an answer without a body would be
/// read as the next answer, which may belong to another user behind a proxy.
@Suite("answers to HEAD", .timeLimit(.minutes(2))) struct HeadAnswerTests {
    @Test("nothing comes after the head of the answer, whichever it is, and each answer tells its length")
    func framing() async throws {
        let metrics = PrometheusMetricsFactory()
        try await withServer({ $0.administration = .init(port: 0, metrics: metrics) }) { client, server in
            let client = client.extended()
            try await client.makeZone()
            let administration = try #require(server.administrationURL).absoluteString
            for path in ["/health", "/ready", "/metrics", "/nothing", "/admin/status", "/admin/nothing"] {
                try await check(administration + path, health: administration)
            }
            for path in ["/health", "/ready", "/nothing", "/auth/oidc"] { try await check(client.base + path) }
            for endpoint in WireEndpoint.allCases {
                for database in ["private", "public"] {
                    try await check(
                        client.base
                            + endpoint.path(container: "iCloud.test", environment: "development", database: database))
                }
            }
            let token: PushToken = try await client.call(.tokensCreate, PushToken())
            try await check("\(client.base)/aps?tok=\(token.apnsToken ?? "")&wait=0")
            for content in [[], Array("bytes".utf8)] { try await checkAsset(client, content) }
        }
    }

    private func checkAsset(_ client: TestClient, _ content: [UInt8]) async throws {
        let name = "asset of \(content.count)"
        let file = try AssetUploadReceipt(wireJSON: try await client.upload(content).body).singleFile
        try await client.save(name, ["file": .asset(file)])
        let found = try await client.lookup([name])[0].record().value("file")
        let download = try #require(found?.assets.first?.downloadURL)
        for range in [nil, "bytes=0-0", "bytes=-0", "bytes=9-", "bytes=5-1", "bytes=0-0,0-0"] {
            for method in ["HEAD", "GET"] {
                try await check(download, method, range.map { ["Range: \($0)"] } ?? [])
            }
        }
        try await check("\(client.base)/assets/download/1/\(String(repeating: "0", count: 42))?expires=1&mark=x")
        let whole = AssetUploadRequest(
            zoneID: TestClient.zone, tokens: [.init(recordName: name, recordType: "Item", fieldName: "file")])
        let given: AssetUploadResponse = try await client.call(.assetsUpload, whole)
        try await check(given.tokens[0].url)
        try await check(try await GivenUpload(client, Array("other".utf8)).url)
    }

    /// Asks for an address and, on the same connection, for the server's health.
    private func check(
        _ address: String, _ method: String = "HEAD", _ headers: [String] = [], health: String? = nil
    ) async throws {
        let url = try #require(URL(string: address))
        let base = "\(url.scheme ?? "")://\(url.host ?? ""):\(url.port ?? 0)"
        let connection = try RawConnection(base)
        let lines = ["\(method) \(address.dropFirst(base.count)) HTTP/1.1", "Host: localhost"] + headers
        try await connection.send((lines + ["", ""]).joined(separator: "\r\n"))
        try await connection.send("GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        let answer = try await connection.readToEnd(within: 20)
        let call: Comment = "\(method) \(address) \(headers): \(answer)"
        let end = try #require(answer.range(of: "\r\n\r\n"), call)
        let head = answer[..<end.lowerBound].lowercased()
        let length = head.split(separator: "\r\n").first { $0.hasPrefix("content-length:") }?
            .split(separator: " ").last.flatMap { Int($0) }
        #expect(!head.contains("transfer-encoding"), call)
        let bytes = method == "HEAD" ? 0 : try #require(length, call)
        #expect(length != nil || head.hasPrefix("http/1.1 204"), call)
        let next = answer[end.upperBound...].utf8.dropFirst(bytes)
        #expect(next.starts(with: "HTTP/1.1 200".utf8), call)
    }
}
