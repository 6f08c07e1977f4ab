import AsyncHTTPClient
import Backstitch
import BackstitchSupport
import BackstitchTestKit
import CloudWire
import Foundation
import Logging
import NIOHTTP1
import TestSupport
import Testing
import Tracing

@testable import BackstitchServer

/// The traces and logs of requests, and what they must not hold.
@Suite("reports of requests") struct RequestReportTests {
    private let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

    @Test("a request is a span with its route and status, which continues the caller's trace; the log names it")
    func spans() async throws {
        // The client keeps the tracer of the first task that uses it, and would make spans of its own.
        _ = HTTPClient.shared
        let tracer = RecordingTracer(), lines = Locked<[String]>([])
        let statuses = try await withTracer(tracer) {
            try await withServer({
                $0.logger = Logger(label: "test") { _ in LineLog(lines: lines) }
                $0.faults = FaultInjector { $0.number == 1 ? .unavailable(retryAfter: 1) : nil }
            }) { client, _ in
                let path = "/database/1/iCloud.test/development/private/zones/list"
                let address = client.base + path + "?ckWebAuthToken=canary"
                let headers: HTTPHeaders = ["traceparent": parent, "X-Canary": "canary"]
                let answers = [
                    try await client.send(address, method: .GET, headers: headers),
                    try await client.send(address, method: .GET),
                    try await client.send(client.base + "/canary", method: .GET),
                ]
                return answers.map(\.status)
            }
        }
        #expect(statuses == [200, 503, 404])
        let spans = tracer.spans
        #expect(spans.map(\.name) == ["zones/list", "zones/list", "unknown"])
        #expect(spans.map(\.parent) == [parent, nil, nil])
        #expect(spans.map(\.isError) == [false, true, false])
        #expect(spans.map { $0.attributes["http.response.status_code"]?.toSpanAttribute() } == [200, 503, 404])
        for span in spans { span.attributes.forEach { #expect(!"\($0)=\($1)".contains("canary")) } }
        let named = lines.withLock { $0.filter { $0.contains("answered") } }
        #expect(named.count == 3)
        for line in named { #expect(line.contains(RecordingTracer.trace) && line.contains(RecordingTracer.span)) }
    }

    @Test("a request is one line at the level info where that is asked for, and holds no secret and no content")
    func accessLog() async throws {
        let lines = Locked<[String]>([])
        try await withServer({
            $0.logger = Logger(label: "test") { _ in LineLog(lines: lines) }
            $0.logger.logLevel = .info
            $0.logsRequests = true
            $0.users = [.init(userRecordName: "_alice", webAuthToken: strong("canary-bearer"))]
        }) { client, _ in
            var alice = client
            alice.bearer = strong("canary-bearer")
            alice.query = "canary=query"
            try await alice.makeZone()
            let upload: AssetUploadResponse = try await alice.call(
                .assetsUpload,
                AssetUploadRequest(
                    zoneID: TestClient.zone,
                    tokens: [.init(recordName: "canary-name", recordType: "Item", fieldName: "photo")]))
            let sent = try await alice.send(upload.tokens[0].url, body: Array("canary-bytes".utf8))
            let receipt = try AssetUploadReceipt(wireJSON: sent.body)
            try await alice.save(
                "canary-name", ["photo": .asset(receipt.singleFile), "title": .string("canary-text")])
            guard case .asset(let asset)? = try await alice.lookup(["canary-name"])[0].record().value("photo"),
                let download = asset.downloadURL
            else { throw TestFailure("no asset") }
            #expect(try await alice.send(download, method: .GET).text == "canary-bytes")
            let made: PushToken = try await alice.call(.tokensCreate, PushToken())
            _ = try await alice.send("\(made.webcourierURL ?? "")&wait=0", method: .GET)
            alice.bearer = strong("canary-wrong")
            _ = try await alice.raw(.zonesList, "{}")
            _ = try await alice.raw("/canary")

            let log = lines.withLock { $0.filter { $0.contains("info: answered") } }
            #expect(log.count == 10)
            let text = log.joined(separator: "\n")
            for part in [
                "zones/modify", "assets/upload", "assets bytes", "records/modify", "records/lookup", "assets download",
                "tokens/create", "aps", "zones/list", "AUTHENTICATION_REQUIRED", "milliseconds", "\"sent\"",
            ] { #expect(text.contains(part), "\(part)") }
            let all = lines.withLock { $0.joined(separator: "\n") }
            let secrets = [
                "canary", "_alice", made.apnsToken ?? "?", URL(string: download)?.query ?? "?",
                URL(string: upload.tokens[0].url)?.query ?? "?", "iCloud.test",
            ]
            for secret in secrets { #expect(!all.lowercased().contains(secret.lowercased())) }
        }
    }

    @Test("without that a request is no line of a log at the level info")
    func quiet() async throws {
        let lines = Locked<[String]>([])
        try await withServer({
            $0.logger = Logger(label: "test") { _ in LineLog(lines: lines) }
            $0.logger.logLevel = .info
        }) { client, _ in
            try await client.makeZone()
            #expect(lines.withLock { $0.filter { $0.contains("answered") } } == [])
        }
    }
}
