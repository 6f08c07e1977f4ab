import BackstitchSupport
import BackstitchTestKit
import CloudWire
import Foundation
import TestSupport

@testable import BackstitchServer

/// The requests of somebody without credentials, from a machine of its own. Some have the API token that is in every
/// copy of an app.
struct Stranger: Sendable {
    let base: String
    let apiToken: String
    let machine: UInt8
    var random: SeededGenerator

    static let kinds = 10

    /// Sends requests of a kind. The server's answers do not matter.
    mutating func strike(_ kind: Int) async throws {
        switch kind {
        case 0: try await marksInAddress()
        case 1: try await largeBodies()
        case 2: try await publicQueries()
        case 3: try await standStill(256, on: "POST \(path(.recordsModify))", announcing: 20)
        case 4: try await standStill(64, on: "POST /auth/oidc", announcing: 20)
        case 5: try await standStill(18, on: "POST \(path(.recordsModify))", announcing: 8 << 20)
        case 6: try await wrongTokens()
        case 7: try await madeUpAddresses()
        case 8: try await smallChunks()
        default: try await wrongHeads()
        }
    }

    private func path(_ endpoint: WireEndpoint, database: String = "private") -> String {
        "/database/1/iCloud.test/development/\(database)/\(endpoint.rawValue)"
    }

    private mutating func word() -> String { (0..<16).map { _ in String(random.below(36), radix: 36) }.joined() }

    /// Combining marks out of order: text comparison by characters sorts each run of them.
    private func marks(_ bytes: Int) -> String { String(repeating: "\u{301}\u{323}", count: bytes / 4) }

    /// Sends one request on a connection of its own, and waits for the answer.
    private func ask(_ line: String, headers: [String] = [], body: String = "") async throws {
        let connection = try await RawConnection.opened(base, fromMachine: machine)
        defer { connection.end() }
        let head = ["\(line) HTTP/1.1", "Host: localhost", "Connection: close"] + headers
        let length = body.isEmpty ? [] : ["Content-Length: \(body.utf8.count)"]
        try await connection.send((head + length).joined(separator: "\r\n") + "\r\n\r\n" + body)
        _ = try await connection.readToEnd(within: 30)
    }

    private func marksInAddress() async throws {
        for target in ["/aps", "/health", path(.recordsQuery, database: "public")] {
            try await ask("GET \(target)", headers: ["\(WireHeader.parameters): \(marks(15_000))=1"])
        }
    }

    /// A megabyte in every place that reads a text, without a token and with the app's.
    private mutating func largeBodies() async throws {
        let long = marks(random.below(2) == 0 ? 120_000 : 1_000_000)
        let words = ["operationType", "recordType", "zoneName", "comparator", "subscriptionType", "desiredKeys"]
        let word = words[random.below(words.count)]
        let body = #"{"operations":[{"\#(word)":"\#(long)"}],"\#(word)":["\#(long)"]}"#
        for endpoint in [WireEndpoint.recordsModify, .recordsQuery, .changesQuery, .subscriptionsModify] {
            try await ask("POST \(path(endpoint))", body: body)
            try await ask("POST \(path(endpoint, database: "public"))?ckAPIToken=\(apiToken)", body: body)
        }
    }

    /// Queries of the public database: large ones, and orders that need an index each.
    private mutating func publicQueries() async throws {
        let filter = QueryFilter("t", .containsAllTokens, .string(marks(100_000)))
        var queries = [RecordQuery(recordType: "Item", filterBy: [filter])]
        for _ in 0..<8 {
            queries.append(RecordQuery(recordType: "Item", sortBy: [QuerySort("field\(random.below(10_000))")]))
        }
        for query in queries {
            let body = String(decoding: try RecordsQueryRequest(query: query).wireJSON(), as: UTF8.self)
            try await ask("POST \(path(.recordsQuery, database: "public"))?ckAPIToken=\(apiToken)", body: body)
        }
    }

    /// Connections on which the head of a request comes, and of its body a byte.
    private func standStill(_ count: Int, on line: String, announcing bytes: Int) async throws {
        var open: [RawConnection] = []
        for _ in 0..<count { open.append(try await .opened(base, fromMachine: machine)) }
        defer { for connection in open { connection.end() } }
        for connection in open {
            try await connection.send("\(line) HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(bytes)\r\n\r\n{")
        }
        try await Task.sleep(for: .seconds(3))
    }

    /// More wrong tokens and keys than an address may present.
    private mutating func wrongTokens() async throws {
        for _ in 0..<20 {
            let line = "POST \(path(.zonesList, database: "public"))?ckAPIToken=\(word())"
            try await ask("\(line)&ckWebAuthToken=\(word())", body: "{}")
            try await ask("POST /auth/oidc", body: #"{"idToken":"\#(word())"}"#)
            let key = String(repeating: "\(random.below(10))", count: 64)
            let headers = [
                "\(WireHeader.keyID): \(key)", "\(WireHeader.signatureDate): 2026-09-21T14:13:21Z",
                "\(WireHeader.signature): AAAA",
            ]
            try await ask("POST \(path(.zonesList, database: "public"))", headers: headers, body: "{}")
        }
    }

    private mutating func madeUpAddresses() async throws {
        for _ in 0..<30 {
            try await ask("GET /aps?tok=1-\(word())&wait=0")
            try await ask("POST /assets/bytes?ticket=\(word())", body: "x")
            let content = AssetChecksum(contentOf: Array(word().utf8)).hexadecimal
            try await ask("GET /assets/download/1/\(content)?expires=99999999999999&bearer=\(word())&mark=\(word())")
        }
    }

    /// Bodies that come a byte a chunk.
    private func smallChunks() async throws {
        let connection = try await RawConnection.opened(base, fromMachine: machine)
        defer { connection.end() }
        let target = "\(path(.recordsQuery, database: "public"))?ckAPIToken=\(apiToken)"
        try await connection.send(
            "POST \(target) HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
        let chunks = String(repeating: "1\r\n[\r\n", count: 10_000)
        for _ in 0..<20 { try await connection.send(chunks) }
    }

    private mutating func wrongHeads() async throws {
        let heads = [
            "", "Host: a\r\nHost: b\r\n", "Host: a\r\nTransfer-Encoding: snail\r\n",
            "Host: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n", "Host: a\r\nTransfer-Encoding: chunked\r\n",
        ]
        for _ in 0..<20 {
            let connection = try await RawConnection.opened(base, fromMachine: machine)
            try await connection.send(
                "POST \(path(.zonesList)) HTTP/1.1\r\n\(heads[random.below(heads.count)])\r\nfffffffffffffffff\r\n")
            connection.end()
        }
    }
}
