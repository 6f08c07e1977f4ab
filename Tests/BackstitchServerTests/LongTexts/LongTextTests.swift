import BackstitchSupport
import BackstitchTestKit
import CloudWire
import Foundation
import NIOHTTP1
import TestSupport
import Testing

@testable import BackstitchServer

#if os(Linux)
/// Texts that would stop the server if it used quadratic time on them. The server is a separate process, so that only
/// its processor time is counted.
@Suite("long texts", .timeLimit(.minutes(30))) struct LongTextTests {
    /// Bytes of a text: a megabyte in a campaign.
    private static let size = Effort.size("LONG_TEXT_KB", usual: 128, whole: 1_024) << 10
    /// The allowed time of a text beyond that of equally many plain letters in the same message.
    // A debug build needs more time for each byte, but only this much.
    #if DEBUG
    private static let allowance = Duration.milliseconds(150)
    #else
    private static let allowance = Duration.milliseconds(50)
    #endif

    private func withServerProcess(_ body: (ServerProcess, TestClient) async throws -> Void) async throws {
        try await withFolder { folder in
            let server = try await onThread { try ServerProcess(storage: folder) }
            defer { server.process.kill() }
            let client = TestClient(base: server.url)
            try await client.makeZone()
            try await client.save("A", ["f": .string("a b"), "g": .string("c")])
            try await client.on("public").save("A", ["f": .string("a b"), "g": .string("c")], zone: nil)
            let query = try await client.raw(.recordsQuery, WireEndpoint.recordsQuery.sample)
            #expect(query.status == 200, "\(query.text)")
            try await body(server, client)
        }
    }

    /// The processor time that the server spends on a request.
    private func time(_ server: ServerProcess, _ request: () async throws -> TestAnswer) async throws -> Duration {
        let before = try server.process.processorTime()
        let answer = try await request()
        let spent = try server.process.processorTime() - before
        #expect(![429, 500, 503].contains(answer.status), "\(answer.text.prefix(300))")
        return spent
    }

    @Test("the strings of every route are found by its reader")
    func paths() throws {
        let found = try Dictionary(
            uniqueKeysWithValues: WireEndpoint.allCases.map { ($0, Set(try $0.stringPaths())) })
        let record: WireStrings.Path = [.key("operations"), .element, .key("record")]
        let field = record + [.key("fields"), .key("unknownKey")]
        let modify = try #require(found[.recordsModify])
        for path in [
            [.key("zoneID"), .key("zoneName")], [.key("desiredKeys"), .element], record + [.key("recordName")],
            record + [.key("fields"), .name], field + [.key("value", type: "STRING")],
            field + [.key("value", type: "REFERENCE_LIST"), .element, .key("action")],
            record + [.key("participants"), .element, .key("userIdentity"), .key("lookupInfo"), .key("emailAddress")],
        ] as [WireStrings.Path] { #expect(modify.contains(path), "\(path)") }
        let filter: WireStrings.Path = [.key("query"), .key("filterBy"), .element]
        #expect(found[.recordsQuery]?.contains(filter + [.key("comparator")]) == true)
        #expect(found[.recordsQuery]?.contains(filter + [.key("fieldValue"), .key("value", type: "STRING")]) == true)
        #expect(found[.tokensCreate]?.count == 4)
        print("counted: \(found.values.reduce(0) { $0 + $1.count }) strings of \(found.count) routes")
    }

    @Test("a long text in any string of any route takes no more than as many letters", arguments: LongText.allCases)
    func everyString(_ text: LongText) async throws {
        try await withServerProcess { server, client in
            var worst = (Duration.zero, "")
            for endpoint in WireEndpoint.allCases {
                let client = client.on(endpoint == .changesQuery ? "public" : "private")
                let paths = try endpoint.stringPaths()
                guard let first = paths.first else { continue }
                let sample = Array(endpoint.sample.utf8)
                let letters = try WireStrings.message(sample, first, String(repeating: "ж", count: Self.size / 2))
                let path = endpoint.path(
                    container: client.container, environment: client.environment, database: client.database)
                let usual = try await time(server) { try await client.raw(path, letters) }
                for place in paths {
                    let body = try WireStrings.message(sample, place, text.of(Self.size))
                    let spent = try await time(server) { try await client.raw(path, body) }
                    #expect(
                        spent - usual <= Self.allowance, "\(endpoint.rawValue) \(place): \(spent), letters \(usual)")
                    if spent - usual > worst.0 { worst = (spent - usual, "\(endpoint.rawValue) \(place), of \(spent)") }
                }
            }
            print("counted: \(Self.size >> 10) KB of \(text) took at most \(worst.0) more than letters, in \(worst.1)")
        }
    }

    @Test("the most that headers, parameters and addresses may hold takes little", arguments: LongText.allCases)
    func addresses(_ text: LongText) async throws {
        try await withServerProcess { server, client in
            let long = text.of(15_000)
            let escaped = long.utf8.prefix(4_800).map { "%" + [$0].hexadecimal }.joined()
            let headers = [
                "Authorization", "Origin", "Range", "traceparent", "Content-Type", "Content-Encoding",
                "Upload-Offset", WireHeader.extensions, WireHeader.device, WireHeader.parameters, WireHeader.keyID,
                WireHeader.signatureDate, WireHeader.signature,
            ]
            let parameters = [
                "", "tok=", "ckWebAuthToken=", "ckAPIToken=", "ticket=", "wait=", "getCurrentSyncToken=",
            ].map { $0 + escaped }
            let query = WireEndpoint.recordsQuery.path(container: "c", environment: "development")
            for place in ["/aps", "/auth/oidc", "/assets/bytes", query] {
                let method: HTTPMethod = place == "/aps" ? .GET : .POST
                var said = headers.map { HTTPHeaders([($0, long)]) }
                said += parameters.map { HTTPHeaders([(WireHeader.parameters, $0)]) }
                for headers in said {
                    let spent = try await time(server) {
                        try await client.send(
                            client.base + place, method: method, headers: headers, body: Array("{}".utf8))
                    }
                    #expect(spent <= Self.allowance, "\(place) \(headers.first?.name ?? ""): \(spent)")
                }
                for parameter in parameters {
                    let spent = try await time(server) {
                        try await client.send(
                            "\(client.base)\(place)?\(parameter)", method: method, body: Array("{}".utf8))
                    }
                    #expect(spent <= Self.allowance, "\(place)?\(parameter.prefix(30)): \(spent)")
                }
            }
            for place in 1..<8 {
                var parts = query.split(separator: "/").map(String.init)
                parts[min(place, parts.count - 1)] = escaped
                let address = client.base + "/" + parts.joined(separator: "/")
                let spent = try await time(server) { try await client.send(address, body: Array("{}".utf8)) }
                #expect(spent <= Self.allowance, "part \(place) of an address: \(spent)")
            }
        }
    }
}
#endif
