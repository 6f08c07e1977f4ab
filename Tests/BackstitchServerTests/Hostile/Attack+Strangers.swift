import CloudWire
import Foundation
import NIOHTTP1
import TestSupport

@testable import BackstitchServer

/// The strikes of strangers, and of one person with many accounts. They use texts that are expensive to compare, idle
/// connections, and requests with much work of reporting, looking up and counting.
extension Attack {
    static let kindsOfStrangers = 10

    mutating func strikeAsStranger(_ kind: Int) async throws {
        switch kind {
        case 0: try await marksInAddress()
        case 1: try await marksInBodies()
        case 2:
            // Six connections of each of three accounts, as large as a body may be.
            for name in ["mallory", "fan 1", "fan 2"] {
                let query = client.user(name).query
                try await standStill(6, on: "POST \(Self.path(.recordsModify))?\(query)", announcing: 8 << 20)
            }
        case 3: try await standStill(64, on: "POST /auth/oidc?\(client.query)", announcing: 20)
        case 4: try await fanOut()
        case 5: try await indexes()
        case 6: try await querySubscriptions()
        case 7:
            for _ in 0..<50 {
                let token = "1-" + (0..<16).map { _ in String(random.below(1_000), radix: 36) }.joined()
                _ = try await nobody.send("\(client.base)/aps?tok=\(token)&wait=0", method: .GET)
            }
        case 8: try await smallChunks()
        default: try await wrongFraming()
        }
    }

    private static func path(_ endpoint: WireEndpoint) -> String {
        "/database/1/iCloud.test/development/private/\(endpoint.rawValue)"
    }

    /// Combining marks out of order: text comparison by characters sorts each run of them.
    private static func marks(_ bytes: Int) -> String { String(repeating: "\u{301}\u{323}", count: bytes / 4) }

    private func marksInAddress() async throws {
        let header = HTTPHeaders([(WireHeader.parameters, Self.marks(15_000) + "=1")])
        _ = try await nobody.send("\(client.base)/aps", method: .GET, headers: header)
        _ = try await nobody.send("\(client.base)/health", method: .GET, headers: header)
    }

    private mutating func marksInBodies() async throws {
        let long = Self.marks(random.below(4) == 0 ? 1_000_000 : 120_000)
        let filter = QueryFilter("t", .containsAllTokens, .string(long))
        let query = RecordQuery(recordType: "Item", filterBy: [filter], sortBy: [QuerySort(long)])
        let zone = ZoneID(zoneName: long)
        try await post(.recordsQuery, RecordsQueryRequest(zoneID: TestClient.zone, query: query))
        try await post(.recordsQuery, RecordsQueryRequest(zoneID: zone, query: query))
        try await post(.zonesLookup, ZonesLookupRequest(zones: [zone, zone]))
        try await modify([operation(.forceReplace, "marks", ["t": .string(long)])], zone: "Tags")
        try await modify([operation(.forceReplace, long, [long: .string("x")])], zone: "Tags")
        for word in ["operationType", "recordType", "zoneName", "comparator", "subscriptionType", "desiredKeys"] {
            let body = #"{"operations":[{"\#(word)":"\#(long)"}],"\#(word)":["\#(long)","\#(long)"]}"#
            for endpoint in [WireEndpoint.recordsModify, .subscriptionsModify, .recordsQuery] {
                _ = try await client.raw(endpoint, body)
            }
        }
    }

    /// Connections on which the head of a request comes, and of its body a byte.
    private func standStill(_ count: Int, on line: String, announcing bytes: Int) async throws {
        var open: [RawConnection] = []
        for _ in 0..<count { open.append(try await .opened(client.base)) }
        defer { for connection in open { connection.end() } }
        for connection in open {
            try await connection.send(
                "\(line) HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(bytes)\r\n\r\n{")
        }
        try await Task.sleep(for: .seconds(3))
    }

    /// Many push tokens and subscriptions of four accounts, and a change that concerns all of one account's.
    private mutating func fanOut() async throws {
        let account = client.user("fan \(random.below(4))")
        _ = try await account.raw(
            .zonesModify, #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"F"}}}]}"#)
        for _ in 0..<10 { _ = try await account.raw(.tokensCreate, #"{"apnsEnvironment":"development"}"#) }
        let operations = (0..<100).map { _ in
            SubscriptionsModifyRequest.Operation(
                .create,
                WireSubscription(
                    subscriptionID: "f\(random.below(400))", subscriptionType: .zone, zoneID: ZoneID(zoneName: "F")))
        }
        let body = String(decoding: try SubscriptionsModifyRequest(operations: operations).wireJSON(), as: UTF8.self)
        _ = try await account.raw(.subscriptionsModify, body)
        for number in 0..<5 {
            let save = RecordsModifyRequest(
                zoneID: ZoneID(zoneName: "F"), operations: [operation(.forceUpdate, "f", ["n": .int64(Int64(number))])])
            _ = try await account.raw(.recordsModify, String(decoding: try save.wireJSON(), as: UTF8.self))
        }
    }

    /// Orders of the public database for a caller without a name. Each needs an index.
    private mutating func indexes() async throws {
        for _ in 0..<8 {
            let query = RecordQuery(recordType: "Item", sortBy: [QuerySort("field\(random.below(10_000))")])
            let body = String(decoding: try RecordsQueryRequest(query: query).wireJSON(), as: UTF8.self)
            _ = try await nobody.raw(.recordsQuery, body)
        }
    }

    /// Subscriptions of a hundred accounts to queries for one type, and a record of that type.
    private mutating func querySubscriptions() async throws {
        let account = client.user("asker \(random.below(100))").on("public")
        let operations = (0..<20).map { number in
            var subscription = WireSubscription(subscriptionID: "q\(number)", subscriptionType: .query)
            subscription.query = RecordQuery(
                recordType: "Item", filterBy: [QueryFilter("n", .equals, .int64(Int64(random.below(1_000))))])
            return SubscriptionsModifyRequest.Operation(.create, subscription)
        }
        let body = String(decoding: try SubscriptionsModifyRequest(operations: operations).wireJSON(), as: UTF8.self)
        _ = try await account.raw(.subscriptionsModify, body)
        let save = RecordsModifyRequest(
            operations: [operation(.forceUpdate, "asked", ["n": .int64(Int64(random.below(1_000)))])])
        _ = try await client.on("public").raw(
            .recordsModify, String(decoding: try save.wireJSON(), as: UTF8.self))
    }

    /// A form that comes a byte a chunk.
    private func smallChunks() async throws {
        let token = AssetUploadRequest.Token(recordName: "chunks", recordType: "Item", fieldName: "f")
        let answer = try await post(.assetsUpload, AssetUploadRequest(zoneID: TestClient.zone, tokens: [token]))
        guard answer.status == 200 else { return }
        let url = try AssetUploadResponse(wireJSON: answer.body).tokens[0].url
        let connection = try await RawConnection.opened(client.base)
        defer { connection.end() }
        try await connection.send(
            "POST \(url.dropFirst(client.base.count)) HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n"
                + "Content-Type: multipart/form-data; boundary=b\r\n\r\n")
        let form = "--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"f\"\r\n\r\n"
        for byte in form { try await connection.send("\(String(byte).utf8.count)\r\n\(byte)\r\n") }
        let chunks = String(repeating: "1\r\nx\r\n", count: 10_000)
        for _ in 0..<20 { try await connection.send(chunks) }
    }

    private mutating func wrongFraming() async throws {
        let heads = [
            "", "Host: a\r\nHost: b\r\n", "Host: a\r\nTransfer-Encoding: snail\r\n",
            "Host: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n", "Host: a\r\nTransfer-Encoding: chunked\r\n",
        ]
        for _ in 0..<20 {
            let connection = try await RawConnection.opened(client.base)
            try await connection.send(
                "POST \(Self.path(.zonesList)) HTTP/1.1\r\n\(heads[random.below(heads.count)])\r\nfffffffffffffffff\r\n"
            )
            connection.end()
        }
    }
}
