import Backstitch
import BackstitchSupport
import BackstitchTestKit
import CloudWire
import Foundation
import Logging
import NIOHTTP1
import Testing

@testable import BackstitchServer

@Suite struct BadInputTests {
    @Test(
        "paths that are nobody's answer NOT_FOUND",
        arguments: [
            "/",
            "/database/2/iCloud.test/development/private/zones/list",
            "/database/1/iCloud.test/development/private/tokens/create",
            "/database/1/iCloud.test/development/secret/zones/list", "/device/1/iCloud.test/development/zones/list",
            "/assets/download/1/../../etc/passwd", "/assets/download/1/%2e%2e%2fzones.sqlite",
            "/assets/bytes?ticket=AAAA",
            "/database/1/%ff/development/private/zones/list",
        ])
    func unknownPaths(_ path: String) async throws {
        try await withServer { client, _ in
            let answer = try await client.raw(path, Array("{}".utf8))
            #expect(answer.status == 404, "\(path): \(answer.text)")
            #expect(try WireError(wireJSON: answer.body).code == .notFound)
        }
    }

    @Test("what is no JSON, or JSON of the wrong shape, is refused with its place, and nothing is stored")
    func badJSON() async throws {
        try await withServer { client, _ in
            try await client.makeZone()
            let good = "{\"operationType\":\"create\",\"record\":{\"recordName\":\"A\",\"recordType\":\"T\"}}"
            let bodies = [
                "{", "[]", "5", "\"x\"", "{\"operations\":5}", "{\"operations\":[\(good)],\"zoneID\":7}",
                "{\"operations\":[\(good)],\"operations\":[\(good)]}", "{\"operations\":[\(good),]}",
                "{\"zoneID\":{\"zoneName\":\"Z\"},\"operations\":[\(good)]} x",
                "{\"zoneID\":{\"zoneName\":\"Z\"},\"operations\":[\(good)],\"atomic\":\"yes\"}",
                "{\"zoneID\":{\"zoneName\":\"Z\"},\"operations\":[\(good)],\"x\":\"\\ud800\"}", "{}",
                "{\"zoneID\":{\"zoneName\":\"Z\"},\"operations\":[\(good)],\"x\":"
                    + String(repeating: "[", count: 100_000),
                "{\"zoneID\":{},\"operations\":[\(good)]}",
            ]
            for body in bodies {
                let answer = try await client.raw(.recordsModify, body)
                #expect(answer.status == 400, "\(body.prefix(100))")
                let error = try WireError(wireJSON: answer.body)
                #expect(error.code == .badRequest)
                #expect(error.reason.contains("byte "), "\(error.reason)")
            }
            #expect(try await client.follow().records.isEmpty)
            let invalid = try await client.raw(
                "/database/1/iCloud.test/development/private/records/modify", [0x7B, 0x22, 0xFF, 0x22, 0x7D])
            #expect(invalid.status == 400)
        }
    }

    @Test("every endpoint survives every kind of wrong body without INTERNAL_ERROR")
    func fuzz() async throws {
        try await withServer { client, _ in
            try await client.makeZone()
            let bodies = [
                "", "{}", "null", "[]", "{\"zones\":[null]}", "{\"zones\":{}}", "{\"records\":[{}]}",
                "{\"operations\":[{}]}",
                "{\"operations\":[{\"operationType\":\"create\"}]}", "{\"tokens\":[{}]}", "{\"syncToken\":5}",
                "{\"resultsLimit\":-1}",
                "{\"resultsLimit\":0,\"zones\":[]}", "{\"subscriptions\":[{}]}", "{\"apnsToken\":7}",
                "{\"zones\":[{\"zoneID\":{\"zoneName\":\"\\u0000\"}}]}",
                "{\"zoneID\":{\"zoneName\":\"Z\"},\"records\":[{\"recordName\":\"\\u0000\"}]}",
                "{\"zoneID\":{\"zoneName\":\"'; DROP TABLE record; --\"},\"records\":[{\"recordName\":\"x\"}]}",
            ]
            for endpoint in WireEndpoint.allCases {
                for body in bodies {
                    for database in ["private", "public", "shared"] {
                        let answer = try await client.on(database).raw(endpoint, body)
                        let isMissingZone = answer.status == 404 && answer.text.contains("ZONE_NOT_FOUND")
                        #expect(
                            answer.status == 200 || answer.status == 400 || isMissingZone,
                            "\(endpoint) \(database) \(body): \(answer.text)")
                    }
                }
            }
            let list: ZonesResponse = try await client.call(.zonesList)
            #expect(list.zones.count == 2)
        }
    }

    @Test("lenient: content types, GET or POST for lists, an empty body, nulls and unknown keys")
    func lenient() async throws {
        try await withServer { client, _ in
            try await client.makeZone()
            let path = "/database/1/iCloud.test/development/private/zones/list"
            for method in [HTTPMethod.GET, .POST] {
                for type in ["application/json", "text/plain", "application/x-www-form-urlencoded"] {
                    let answer = try await client.send(
                        client.base + path, method: method, headers: ["Content-Type": type])
                    #expect(answer.status == 200)
                    #expect(answer.headers["Content-Type"] == ["application/json; charset=UTF-8"])
                }
            }
            let changes = try await client.raw(
                .changesDatabase, "{\"syncToken\":null,\"resultsLimit\":null,\"later\":{\"a\":[]}}")
            #expect(changes.status == 200)
            let wrong = try await client.send(
                client.base + "/database/1/iCloud.test/development/private/records/modify", method: .GET)
            #expect(wrong.status == 400)
        }
    }

    @Test("limits: operations, records, bytes of a body and of a record; more with extensions, which tell them")
    func limits() async throws {
        try await withServer({
            $0.standardLimits = WireLimits(operations: 3, bytes: 10_000, page: 2, record: 1000, asset: 10)
            $0.extendedLimits = WireLimits(operations: 5, bytes: 20_000, page: 4, record: 2000, asset: 20)
        }) { client, _ in
            try await client.makeZone()
            func names(_ count: Int) -> [RecordOperation] { (0..<count).map { create("r\($0)") } }
            let many = await expectFailure(.badRequest) { try await client.modify(names(4)) }
            #expect(many?.isLimitExceeded == true)
            #expect(try await client.follow().records.isEmpty)
            let more = try await client.extended().modify(names(4))
            #expect(more.count == 4)
            _ = await expectFailure(.badRequest) { try await client.extended().modify(names(6)) }
            _ = await expectFailure(.badRequest) { try await client.lookup(["a", "b", "c", "d"]) }

            let answer = try await client.extended().raw(.zonesList, "{}")
            #expect(WireLimits(headerValue: answer.headers[WireHeader.limits].first ?? "")?.operations == 5)
            #expect(try await client.raw(.zonesList, "{}").headers[WireHeader.limits].isEmpty)

            let large = WireValue.string(String(repeating: "x", count: 1500))
            let results = try await client.modify([create("small"), create("large", ["t": large])], atomic: false)
            #expect(results[0].error == nil)
            #expect(results[1].error?.isLimitExceeded == true)
            #expect(try await client.extended().modify([create("large", ["t": large])])[0].error == nil)
            // An update that would make a record too large is refused, and the record stays.
            let half = WireValue.string(String(repeating: "x", count: 800))
            try await client.save("grows", ["a": half])
            let grown = try await client.modify([operation(.forceUpdate, "grows", ["b": half])])
            #expect(grown[0].error?.isLimitExceeded == true)
            #expect(try await client.lookup(["grows"])[0].record().fields == ["a": half])

            let body = try await client.raw(.recordsModify, "{\"x\":\"" + String(repeating: "x", count: 10_000) + "\"}")
            #expect(body.status == 400)
            #expect(try WireError(wireJSON: body.body).isLimitExceeded)
            #expect(try await client.page(limit: 1000).moreComing)
            #expect(try await client.extended().page(limit: 1000).records.count == 4)
        }
    }

    @Test("a compressed body is refused and not stored as it is")
    func compressed() async throws {
        try await withServer { client, _ in
            let answer = try await client.send(
                client.base + "/database/1/iCloud.test/development/private/zones/list",
                headers: ["Content-Encoding": "gzip"],
                body: [0x1F, 0x8B])
            #expect(answer.status == 400)
        }
    }

    @Test("default answers hold no key of the extensions")
    func noExtensions() async throws {
        try await withServer { client, _ in
            try await client.makeZone()
            try await client.save("A")
            let answers = [
                try await client.raw(
                    .recordsModify,
                    "{\"zoneID\":{\"zoneName\":\"Z\"},\"operations\":[{\"operationType\":\"create\",\"record\":{\"recordName\":\"A\",\"recordType\":\"Item\"}}]}"
                ),
                try await client.raw(.changesZone, "{\"zones\":[{\"zoneID\":{\"zoneName\":\"Z\"}}]}"),
                try await client.raw(.changesDatabase, "{}"),
            ]
            for answer in answers {
                #expect(answer.status == 200)
                for key in ["serverRecord", "deletedReason", "idempotencyKey"] { #expect(!answer.text.contains(key)) }
                #expect(!answer.headers.contains { $0.name.lowercased().hasPrefix("x-backstitch") })
            }
        }
    }

    @Test("tokens never reach the log")
    func log() async throws {
        let lines = Locked<[String]>([])
        try await withServer({
            $0.logger = Logger(label: "test") { _ in LineLog(lines: lines) }
            $0.logger.logLevel = .trace
        }) { client, _ in
            var user = client.user("canary-token")
            user.bearer = nil
            try await user.makeZone()
            let made: PushToken = try await user.call(.tokensCreate, PushToken())
            _ = try await user.send("\(made.webcourierURL ?? "")&wait=0", method: .GET)
            _ = try await user.raw("/nowhere/canary-path?x=canary-token", [])
            let text = lines.withLock { $0 }.joined(separator: "\n")
            #expect(text.contains("zones/modify"))
            #expect(!text.contains("canary"))
            #expect(!text.contains(made.apnsToken ?? "?"))
        }
    }
}
