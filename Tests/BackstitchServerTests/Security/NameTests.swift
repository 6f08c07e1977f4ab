import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchServer

/// Names that try to be something else: paths, statements, other names.
@Suite("hostile names") struct NameTests {
    private static let names = [
        "..", "../../etc/passwd", "..\\..", "%2e%2e", "%2e%2e%2f", "%00", "a%00b", "a\u{0}b", "a\nb", "a\u{7F}b", "/",
        "//",
        ".", "a/b", "a?b=c", "a#b", "\u{202E}txt.exe", "\u{200B}", "\u{FEFF}a", "'", "\"", "';--", "' OR '1'='1",
        "\"; DROP TABLE record; --", "'); DELETE FROM zone; --", "\\'; SELECT 1", "${f}", "{{7*7}}", "%s%s%n", "$1",
        "?1",
        ":name", "@name", "NULL", "null", "0", "-1", "true", "\u{E000}", "🧵", String(repeating: "a", count: 255),
        String(repeating: "a", count: 256), String(repeating: "é", count: 127), String(repeating: "é", count: 128), " ",
        "a ",
        " a", "_a", "__proto__", "constructor", "CON", "zones.sqlite",
    ]

    @Test(
        "a name comes back byte for byte, or is refused; nothing else is touched, on every route that takes names",
        arguments: StorageKind.allCases)
    func names(_ kind: StorageKind) async throws {
        try await withServer(on: kind, { $0.userQuotas.subscriptions = 1_000 }) { client, _ in
            try await client.makeZone()
            try await client.save("bystander", ["title": .string("still here")])
            var taken: [String] = []
            for name in Self.names {
                let fields: [String: WireValue?] = [
                    "text": .string(name), "link": .reference(WireReference(recordName: "bystander")),
                ]
                let record = try await client.modify([create(name, fields)])[0]
                if let error = record.error {
                    #expect([.badRequest].contains(error.code), "\(name.debugDescription): \(error)")
                } else {
                    taken.append(name)
                    let found = try await client.lookup([name])[0].record()
                    #expect(Array(found.recordName.utf8) == Array(name.utf8))
                    #expect(found.value("text") == .string(name))
                    let query = RecordQuery(recordType: "Item", filterBy: [QueryFilter("text", .equals, .string(name))])
                    #expect(try await client.query(query).map(\.recordName) == [found.recordName])
                }
                let zone = ZonesModifyRequest(operations: [.init(.create, ZoneID(zoneName: name))])
                let made: ZonesResponse = try await client.call(.zonesModify, zone)
                if case .zone(let info) = made.zones[0] {
                    #expect(Array(info.zoneID.zoneName.utf8) == Array(name.utf8))
                }
                let subscription = try await client.subscribe(wish(name, [QueryFilter("text", .equals, .string(name))]))
                if case .subscription(let kept) = subscription {
                    #expect(Array(kept.subscriptionID.utf8) == Array(name.utf8))
                    let gone = try await client.subscribe(kept, .delete)
                    #expect(gone == .deleted(subscriptionID: kept.subscriptionID))
                }
                let user = try await client.on("public").raw(
                    .usersLookupID, String(decoding: try UsersLookup(name).json(), as: UTF8.self))
                #expect([200, 400].contains(user.status), "\(name.debugDescription): \(user.text)")
                let token = try await client.raw(
                    .tokensRegister, String(decoding: try PushToken(apnsToken: name).wireJSON(), as: UTF8.self))
                #expect(token.status == 400, "\(name.debugDescription): \(token.text)")
            }
            #expect(taken.count > 25 && taken.count < Self.names.count)
            let all = try await client.follow().records.map { Array($0.recordName.utf8) }
            #expect(Set(all) == Set((taken + ["bystander"]).map { Array($0.utf8) }))
            #expect(try await client.lookup(["bystander"])[0].record().value("title") == .string("still here"))
        }
    }

    private struct UsersLookup {
        let name: String
        init(_ name: String) { self.name = name }
        func json() throws -> Data {
            try JSONSerialization.data(withJSONObject: ["users": [["userRecordName": name]]])
        }
    }

    @Test("names that a file system or a language takes for one are two", arguments: StorageKind.allCases)
    func pairs(_ kind: StorageKind) async throws {
        let pairs = [
            ("caf\u{E9}", "cafe\u{301}"), ("Name", "name"), ("ß", "SS"), ("İ", "i"), ("a", "a\u{200B}"), ("1", "01"),
        ]
        try await withServer(on: kind) { client, _ in
            try await client.makeZone()
            for (first, second) in pairs {
                let made = try await client.modify([
                    create(first, ["n": .int64(1)]), create(second, ["n": .int64(2)]),
                ])
                #expect(made.allSatisfy { $0.error == nil }, "\(first) \(second): \(made)")
                let found = try await client.lookup([second, first])
                #expect(try found.map { try $0.record().value("n") } == [.int64(2), .int64(1)])
                for (name, number) in [(first, Int64(1)), (second, 2)] {
                    let query = RecordQuery(
                        recordType: "Item",
                        filterBy: [QueryFilter(systemFieldName: "recordName", .equals, .string(name))])
                    #expect(try await client.query(query).map { $0.value("n") } == [.int64(number)])
                }
            }
            #expect(try await client.follow().records.count == 2 * pairs.count)
        }
    }
}
