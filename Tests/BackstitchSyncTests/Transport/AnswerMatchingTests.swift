import Backstitch
import BackstitchSupport
import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("answers of a server, matched to what was asked")
struct AnswerMatchingTests {
    private static func name(_ number: UInt64) -> String { key(number).uuidString }

    private static func done(_ number: UInt64) -> String {
        #"{"recordName":"\#(name(number))","recordType":"Note","recordChangeTag":"t\#(number)"}"#
    }

    private static func error(_ number: UInt64, _ code: String, _ more: String = "") -> String {
        #"{"recordName":"\#(name(number))","serverErrorCode":"\#(code)","reason":"r"\#(more)}"#
    }

    private static func client(_ modify: [String], lookup: [String] = []) throws -> (CloudClient, StubTransport) {
        try StubTransport.client { request in
            let items = request.url.contains("records/modify") ? modify : lookup
            return .json(#"{"records":[\#(items.joined(separator: ","))]}"#)
        }
    }

    @Test("results in another order belong to the records that they name")
    func order() async throws {
        let (client, _) = try Self.client([Self.error(3, "BAD_REQUEST"), Self.done(2), Self.done(1)])
        let answers = try await client.send(batch(1, 2, 3)).answers
        guard case .done("t1") = answers[0], case .done("t2") = answers[1], case .refused = answers[2] else {
            Issue.record("the answers are \(answers)")
            return
        }
    }

    @Test(
        "an answer that lacks a record, names one twice or tells of a deletion that nobody asked for is no answer",
        arguments: [
            [done(1), done(4)], [done(1), done(1)], [done(1)],
            [done(1), #"{"recordName":"\#(name(2))","deleted":true}"#],
        ])
    func incomplete(_ items: [String]) async throws {
        let (client, _) = try Self.client(items)
        let failure = await #expect(throws: SyncFailure.self) { _ = try await client.send(batch(1, 2)) }
        #expect(failure?.error.code == .protocolViolation)
        #expect(failure?.mayHideSuccess == true)
    }

    @Test("a conflict's record counts only when it is the one that was sent; else the right one is looked up")
    func foreignConflict() async throws {
        let foreign = #","serverRecord":{"recordName":"\#(Self.name(9))","recordType":"Note","recordChangeTag":"z"}"#
        let (client, transport) = try Self.client(
            [Self.error(1, "CONFLICT", foreign)], lookup: [Self.done(1)])
        guard case .conflict(let record) = try await client.send(batch(1)).answers[0] else {
            Issue.record("no conflict")
            return
        }
        #expect(record?.recordName == Self.name(1))
        #expect(transport.requests.count == 2)
    }

    @Test("records that are looked up are found by their names")
    func lookUp() async throws {
        let (client, _) = try Self.client([], lookup: [Self.done(2), Self.error(1, "NOT_FOUND")])
        let records = try await client.records(named: [Self.name(1), Self.name(2)])
        #expect(records.map { $0?.recordName } == [nil, Self.name(2)])
    }

    @Test("records that are too large together for one answer are looked up in parts")
    func largeLookUp() async throws {
        let (client, transport) = try StubTransport.client { request in
            let names = try RecordsLookupRequest(wireJSON: request.body).records.map(\.recordName)
            guard names.count < 3 else {
                let error = #""serverErrorCode":"BAD_REQUEST","reason":"\#(WireError.limitExceededPrefix): bytes""#
                return .json(#"{"uuid":"1",\#(error)}"#, status: 400)
            }
            let items = names.map { #"{"recordName":"\#($0)","recordType":"Note","recordChangeTag":"t"}"# }
            return .json(#"{"records":[\#(items.joined(separator: ","))]}"#)
        }
        let names = (1...7).map { Self.name($0) }
        #expect(try await client.records(named: names).map { $0?.recordName } == names)
        #expect(transport.requests.count == 7)
    }

    @Test("a page of another zone, or with a record without a name, is no page")
    func pages() async throws {
        for zone in [
            #"{"zoneID":{"zoneName":"Other"},"syncToken":"1","records":[]}"#,
            #"{"zoneID":{"zoneName":"Backstitch"},"syncToken":"1","records":[{"recordType":"Note"}]}"#,
        ] {
            let (client, _) = try StubTransport.client { _ in .json(#"{"zones":[\#(zone)]}"#) }
            let failure = await #expect(throws: SyncFailure.self) { _ = try await client.changes(after: nil) }
            #expect(failure?.error.code == .protocolViolation)
        }
    }

    @Test("limits and waits that a server names are bounded")
    func bounds() async throws {
        let huge = Int.max
        let (client, _) = try StubTransport.client { _ in
            .json(
                #"{"serverErrorCode":"THROTTLED","reason":"r","uuid":"1","retryAfter":1e300}"#, status: 429,
                headers: [
                    (
                        WireHeader.limits,
                        "operations=\(huge); bytes=\(huge); page=\(huge); record=\(huge); asset=\(huge)"
                    )
                ])
        }
        let failure = await #expect(throws: SyncFailure.self) { try await client.makeZone() }
        #expect(try #require(failure?.retryAfter) <= 3_600_000)
        #expect(client.limits.operations <= 100_000)
        #expect(client.limits.page <= 100_000)
        #expect(client.limits.bytes <= 1 << 30)
    }

    @Test(
        "waits that a header names are bounded, and what is no wait is none",
        arguments: [
            ("1e300", 3_600_000), ("inf", 3_600_000), ("7200", 3_600_000), ("2", 2_000), ("-5", nil), ("nan", nil),
        ] as [(String, Int64?)])
    func headerWaits(_ text: String, _ wait: Int64?) async throws {
        let (client, _) = try StubTransport.client { _ in
            .json("<html>", status: 503, headers: [("Retry-After", text)])
        }
        let failure = await #expect(throws: SyncFailure.self) { try await client.makeZone() }
        #expect(failure?.retryAfter == wait)
    }

    @Test("a list of all records that has no end is given up")
    func endlessRecords() async throws {
        let count = Locked(0)
        let (client, transport) = try StubTransport.client { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            let page = #""syncToken":"\#(number)","moreComing":\#(number < 2_000),"records":[\#(Self.done(1))]"#
            return .json(#"{"zones":[{"zoneID":{"zoneName":"Backstitch"},\#(page)}]}"#)
        }
        let failure = await #expect(throws: SyncFailure.self) { _ = try await client.recordsWithoutFields() }
        #expect(failure?.error.code == .protocolViolation)
        #expect(transport.requests.count < 200)
    }

    @Test("a long poll that ends without a word brought no news", arguments: [200, 204])
    func quietPoll(_ status: Int) async throws {
        let (client, _) = try StubTransport.client { _ in .json("", status: status) }
        client.setPushListener(device: "d", url: "https://example.org/aps?tok=1")
        #expect(try await client.listen() == false)
    }

    @Test(
        "an answer of the long poll that is no notification is a failure",
        arguments: [(200, "<html>hello</html>"), (302, ""), (500, "")])
    func poll(_ status: Int, _ body: String) async throws {
        let (client, _) = try StubTransport.client { _ in .json(body, status: status) }
        client.setPushListener(device: "d", url: "https://example.org/aps?tok=1")
        await #expect(throws: SyncFailure.self) { _ = try await client.listen() }
    }
}
