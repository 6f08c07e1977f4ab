import CloudWire
import Foundation
import Testing

@testable import BackstitchServer

/// Each route with a list: a name that a request gives twice.
@Suite("names that occur twice in a request") struct RepeatedNameTests {
    /// A request with an element twice, and another one between.
    struct Request: Sendable, CustomTestStringConvertible {
        var endpoint: WireEndpoint
        var body: String
        /// The answers that have an error, by place: of changes both, of reads the second.
        var refused: [Bool]

        var testDescription: String { "\(endpoint)" }

        init(_ endpoint: WireEndpoint, _ list: String, _ element: (String) -> String, _ refused: [Bool]) {
            self.endpoint = endpoint
            self.refused = refused
            body = "{\"\(list)\":[\(["a", "b", "a"].map(element).joined(separator: ","))]}"
        }
    }

    static let requests = [
        Request(
            .recordsModify, "operations",
            { name in
                #"{"operationType":"create","record":{"recordName":"\#(name)","recordType":"T"}}"#
            }, [true, false, true]),
        Request(
            .zonesModify, "operations",
            { name in
                #"{"operationType":"create","zone":{"zoneID":{"zoneName":"\#(name)"}}}"#
            }, [true, false, true]),
        Request(.recordsLookup, "records", { #"{"recordName":"\#($0)"}"# }, [false, false, true]),
        Request(.zonesLookup, "zones", { #"{"zoneName":"\#($0)"}"# }, [false, false, true]),
        Request(.changesZone, "zones", { #"{"zoneID":{"zoneName":"\#($0)"}}"# }, [false, false, true]),
        Request(.subscriptionsLookup, "subscriptions", { #"{"subscriptionID":"\#($0)"}"# }, [false, false, true]),
    ]

    @Test("are refused with words, whatever the route", arguments: requests)
    func routes(_ request: Request) async throws {
        try await withServer { client, _ in
            let answer = try await client.raw(request.endpoint, request.body)
            #expect(answer.status == 200, "\(answer.text)")
            let root = try #require(try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any])
            let items = try #require(root.values.lazy.compactMap { $0 as? [[String: Any]] }.first)
            let isRefused = items.map { item in
                item["serverErrorCode"] as? String == "BAD_REQUEST"
                    && (item["reason"] as? String)?.contains("occurs more than once in this request") == true
            }
            #expect(isRefused == request.refused, "\(answer.text)")
        }
    }

    @Test("nothing is done of a zone that a request makes and deletes", arguments: StorageKind.allCases)
    func zones(_ kind: StorageKind) async throws {
        try await withServer(on: kind) { client, _ in
            try await client.makeZone("A")
            let operations = (0..<100).flatMap { _ in
                [ZonesModifyRequest.Operation(.delete, ZoneID(zoneName: "A")), .init(.create, ZoneID(zoneName: "A"))]
            }
            let answer: ZonesResponse = try await client.call(
                .zonesModify, ZonesModifyRequest(operations: operations))
            #expect(answer.zones.count == 200)
            for case .error(let error) in answer.zones { #expect(error.error.code == .badRequest) }
            #expect(!answer.zones.contains { if case .zone = $0 { true } else { false } })
            let list: ZonesResponse = try await client.call(.zonesList)
            #expect(list.zones.count == 2)
        }
    }

    @Test("many zones are made by several transactions, each answered in its place")
    func pieces() async throws {
        try await withServer { client, server in
            try await client.makeZone("first")
            let statements = try await StatementCount(server)
            let names = (0..<120).map { "Z\($0)" }
            let answer: ZonesResponse = try await client.call(
                .zonesModify, ZonesModifyRequest(operations: names.map { .init(.create, ZoneID(zoneName: $0)) }))
            let made = answer.zones.map { if case .zone(let zone) = $0 { zone.zoneID.zoneName } else { "" } }
            #expect(made == names)
            var most = 0, now = 0
            for text in statements.takeAll() {
                if text.contains("INSERT INTO zone") { now += 1 }
                if text.hasPrefix("COMMIT") { (most, now) = (max(most, now), 0) }
            }
            #expect((1...50).contains(most), "\(most) zones in a transaction")
        }
    }
}
