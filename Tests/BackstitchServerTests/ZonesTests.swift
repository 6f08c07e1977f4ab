import CloudWire
import TestSupport
import Testing

@testable import BackstitchServer

@Suite struct ZonesTests {
    @Test("a zone is made, listed, looked up and deleted; making it twice is no error")
    func lifecycle() async throws {
        try await withServer { client, _ in
            let zone = try await client.makeZone()
            #expect(zone.zoneID == ZoneID(zoneName: "Z", ownerRecordName: "_development", zoneType: .custom))
            #expect(zone.atomic == true)
            #expect(zone.syncToken?.utf8.count == 48)
            #expect(try await client.makeZone() == zone)

            let list: ZonesResponse = try await client.call(.zonesList)
            let names = list.zones.map { if case .zone(let zone) = $0 { zone.zoneID.zoneName } else { "?" } }
            #expect(names == ["_defaultZone", "Z"])
            guard case .zone(let first) = list.zones[0] else { throw TestFailure("\(list)") }
            #expect(first.atomic == false)
            #expect(first.syncToken == nil)
            #expect(first.zoneID.zoneType == .defaultZone)

            let found: ZonesResponse = try await client.call(
                .zonesLookup, ZonesLookupRequest(zones: [ZoneID(zoneName: "Z"), ZoneID(zoneName: "missing")]))
            #expect(found.zones[0] == .zone(zone))
            guard case .error(let error) = found.zones[1] else { throw TestFailure("\(found)") }
            #expect(error.error.code == .zoneNotFound)
            #expect(error.zoneID?.zoneName == "missing")

            let deletion = ZonesModifyRequest(operations: [.init(.delete, ZoneID(zoneName: "Z"))])
            let deleted: ZonesResponse = try await client.call(.zonesModify, deletion)
            guard case .zone(let gone) = deleted.zones[0] else { throw TestFailure("\(deleted)") }
            #expect(gone.deleted == true)
            let again: ZonesResponse = try await client.call(.zonesModify, deletion)
            guard case .error(let missing) = again.zones[0] else { throw TestFailure("\(again)") }
            #expect(missing.error.code == .zoneNotFound)
        }
    }

    @Test(
        "names that a zone cannot have are refused, and nothing is made",
        arguments: ["", "_mine", "caf\u{E9}", "a\u{1}b", String(repeating: "z", count: 256)])
    func badNames(_ name: String) async throws {
        try await withServer { client, _ in
            let answer: ZonesResponse = try await client.call(
                .zonesModify,
                ZonesModifyRequest(operations: [
                    .init(.create, ZoneID(zoneName: name)), .init(.create, TestClient.zone),
                ]))
            guard case .error(let error) = answer.zones[0] else { throw TestFailure("\(answer)") }
            #expect(error.error.code == .badRequest)
            guard case .zone = answer.zones[1] else { throw TestFailure("a bad operation stopped a good one") }
            let list: ZonesResponse = try await client.call(.zonesList)
            #expect(list.zones.count == 2)
        }
    }

    @Test("the default zone cannot be deleted, and making it is no error")
    func defaultZone() async throws {
        try await withServer { client, _ in
            let zone = ZoneID(zoneName: ZoneID.defaultZoneName)
            let made: ZonesResponse = try await client.call(
                .zonesModify, ZonesModifyRequest(operations: [.init(.create, zone)]))
            let deleted: ZonesResponse = try await client.call(
                .zonesModify, ZonesModifyRequest(operations: [.init(.delete, zone)]))
            guard case .zone = made.zones[0], case .error(let error) = deleted.zones[0] else {
                throw TestFailure("\(made) \(deleted)")
            }
            #expect(error.error.code == .badRequest)
        }
    }

    @Test("zones are the private database's; others say so")
    func otherDatabases() async throws {
        try await withServer { client, _ in
            let create = ZonesModifyRequest(operations: [.init(.create, TestClient.zone)])
            let error = await expectFailure(.badRequest) {
                try await client.on("public").call(.zonesModify, create, as: ZonesResponse.self)
            }
            #expect(error?.reason == "endpoint not applicable in the database type 'publicdb'")
            // There zones can be left, so that each operation is answered on its own.
            let zones = ["Y", "Z"].map { ZoneID(zoneName: $0, ownerRecordName: "_alice") }
            let answer: ZonesResponse = try await client.on("shared").call(
                .zonesModify,
                ZonesModifyRequest(operations: [
                    .init(.create, zones[0]), .init(.delete, zones[1]), .init(.delete, TestClient.zone),
                ])
            )
            let codes = answer.zones.map {
                if case .error(let error) = $0 { error.error.code } else { nil as WireErrorCode? }
            }
            #expect(codes == [.badRequest, .zoneNotFound, .zoneNotFound])
            let list: ZonesResponse = try await client.on("public").call(.zonesList)
            #expect(list.zones.count == 1)
            let shared: ZonesResponse = try await client.on("shared").call(.zonesList)
            #expect(shared.zones.isEmpty)
        }
    }

    @Test("the zones of users, containers and environments are apart")
    func tenants() async throws {
        try await withServer { client, _ in
            try await client.user("alice").makeZone()
            try await client.user("alice").save("secret", ["text": .string("canary")])
            var other = client.user("alice")
            other.container = "iCloud.other"
            var production = client.user("alice")
            production.environment = "production"
            for stranger in [client.user("bob"), other, production] {
                let list: ZonesResponse = try await stranger.call(.zonesList)
                #expect(list.zones.count == 1)
                #expect(try await stranger.lookup(["secret"])[0].error?.code == .zoneNotFound)
                let named: RecordsResponse = try await stranger.call(
                    .recordsLookup,
                    RecordsLookupRequest(
                        zoneID: ZoneID(zoneName: "Z", ownerRecordName: "alice"), records: [.init(recordName: "secret")])
                )
                if stranger.query != client.user("alice").query {
                    #expect(named.records[0].error?.code == .zoneNotFound)
                }
                #expect(try await stranger.modify([create("x")])[0].error?.code == .zoneNotFound)
                await #expect(throws: WireError.self) { try await stranger.page() }
            }
        }
    }
}
