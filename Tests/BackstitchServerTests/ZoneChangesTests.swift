import CloudWire
import TestSupport
import Testing

@testable import BackstitchServer

@Suite struct ZoneChangesTests {
    @Test("the feed gives each changed record once, as it is now, and deletions always")
    func feed() async throws {
        try await withServer { client, _ in
            try await client.makeZone()
            let empty = try await client.page()
            #expect(empty.records.isEmpty)
            #expect(!empty.moreComing)
            for name in ["A", "B", "C"] { try await client.save(name, ["n": .int64(1)]) }
            try await client.save(.forceUpdate, "A", ["n": .int64(2)])
            try await client.save(.forceDelete, "B")
            let all = try await client.page(empty.syncToken)
            #expect(all.records.map(\.recordName) == ["C", "A", "B"])
            #expect(all.records.map(\.deleted) == [false, false, true])
            #expect(all.records[1].value("n") == .int64(2))
            #expect(all.records[2].recordType == nil)
            #expect(all.records[2].recordChangeTag != nil)
            let done = try await client.page(all.syncToken)
            #expect(done.records.isEmpty)
            #expect(done.syncToken == all.syncToken)
            #expect(try await client.page(empty.syncToken) == all)
            #expect(try await client.page().records == all.records)
        }
    }

    @Test(
        "pages end between commits; a commit that is larger than a page is a page of its own", arguments: [1, 2, 3, 7])
    func pages(_ limit: Int) async throws {
        try await withServer { client, _ in
            try await client.makeZone()
            let sizes = [1, 1, 5, 2, 9, 1, 3]
            for (commit, size) in sizes.enumerated() {
                try await client.modify((0..<size).map { create("c\(commit)-\($0)") })
            }
            var token: String?
            var seen: [String] = []
            while true {
                let page = try await client.page(token, limit: limit)
                let commits = Dictionary(grouping: page.records) { $0.recordName.prefix(2) }
                for (commit, records) in commits {
                    let index = Int(commit.dropFirst()) ?? -1
                    #expect(records.count == sizes[index], "commit \(commit) was cut at limit \(limit)")
                }
                #expect(page.records.count <= limit || commits.count == 1)
                seen += page.records.map(\.recordName)
                token = page.syncToken
                if !page.moreComing { break }
            }
            #expect(seen.count == sizes.reduce(0, +))
            #expect(Set(seen).count == seen.count)
        }
    }

    @Test("a client that asks is told how many records come after the page", arguments: StorageKind.allCases)
    func recordsLeft(_ kind: StorageKind) async throws {
        try await withServer(on: kind) { client, _ in
            let ours = client.extended()
            try await client.makeZone()
            for commit in 0..<5 { try await client.modify((0..<5).map { create("c\(commit)-\($0)") }) }
            try await client.save(.forceDelete, "c0-0")
            func page(
                of client: TestClient, _ token: String? = nil, counts: Bool? = true, reverse: Bool? = nil
            ) async throws -> ZoneChanges {
                let zone = ZoneChangesRequest.Zone(
                    zoneID: TestClient.zone, syncToken: token, reverse: reverse, countsRecords: counts)
                let answer: ZoneChangesResponse = try await client.call(
                    .changesZone, ZoneChangesRequest(zones: [zone], resultsLimit: 10))
                guard case .changes(let page)? = answer.zones.first else { throw TestFailure("no page: \(answer)") }
                return page
            }
            let first = try await page(of: ours)
            #expect(first.records.count == 9 && first.recordsLeft == 16)
            let second = try await page(of: ours, first.syncToken)
            #expect(second.records.count == 10 && second.recordsLeft == 6)
            #expect(try await page(of: ours, second.syncToken).recordsLeft == nil)
            #expect(try await page(of: ours, counts: nil).recordsLeft == nil)
            #expect(try await page(of: ours, reverse: true).recordsLeft == nil)
            // It is an extension.
            #expect(try await page(of: client).recordsLeft == nil)
        }
    }

    @Test("zones of one request are counted together up to a number, and those behind are not")
    func recordsLeftOfZones() async throws {
        try await withServer({ $0.mostCounted = 12 }) { client, _ in
            let ours = client.extended()
            let zones = ["a", "b", "c"]
            for zone in zones {
                try await client.makeZone(zone)
                for index in 0..<9 { try await client.modify([create("r\(index)")], zone: zone) }
            }
            let answer: ZoneChangesResponse = try await ours.call(
                .changesZone,
                ZoneChangesRequest(
                    zones: zones.map { .init(zoneID: ZoneID(zoneName: $0), countsRecords: true) }, resultsLimit: 1))
            let left = answer.zones.map { zone -> Int? in
                if case .changes(let page) = zone { page.recordsLeft } else { nil }
            }
            #expect(left.count == 3)
            #expect(left.compactMap(\.self).reduce(0, +) <= 12 && left[0] != nil && left[2] == nil, "\(left)")
        }
    }

    @Test("a record that changes while a client pages comes again, and nothing is lost")
    func changeWhilePaging() async throws {
        try await withServer { client, _ in
            try await client.makeZone()
            for index in 0..<10 { try await client.save("r\(index)") }
            let first = try await client.page(limit: 4)
            try await client.save(.forceUpdate, "r0", ["n": .int64(1)])
            try await client.save(.forceDelete, "r7")
            let rest = try await client.follow(first.syncToken, limit: 4)
            #expect(rest.records.map(\.recordName) == ["r4", "r5", "r6", "r8", "r9", "r0", "r7"])
            #expect(rest.records.last?.deleted == true)
        }
    }

    @Test("newest first gives everything once, and its tokens are not those of the other direction")
    func reverse() async throws {
        try await withServer { client, _ in
            try await client.makeZone()
            for commit in 0..<4 { try await client.modify((0..<3).map { create("c\(commit)-\($0)") }) }
            var token: String?
            var names: [String] = []
            repeat {
                let page = try await client.page(token, limit: 4, reverse: true)
                names += page.records.map(\.recordName)
                token = page.moreComing ? page.syncToken : nil
            } while token != nil
            #expect(names.count == 12)
            #expect(names.first?.hasPrefix("c3") == true)
            let reversed = try await client.page(limit: 4, reverse: true).syncToken
            _ = await expectFailure(.badRequest) { try await client.page(reversed) }
        }
    }

    @Test("several zones in one request are answered in order, each with its own token or error")
    func severalZones() async throws {
        try await withServer { client, _ in
            try await client.makeZone("A")
            try await client.makeZone("B")
            try await client.makeZone("C")
            try await client.save("x", zone: "A")
            try await client.save("y", zone: "B")
            let foreign = try await client.page(zone: "A").syncToken
            let answer: ZoneChangesResponse = try await client.call(
                .changesZone,
                ZoneChangesRequest(zones: [
                    .init(zoneID: ZoneID(zoneName: "A"), desiredKeys: []), .init(zoneID: ZoneID(zoneName: "missing")),
                    .init(zoneID: ZoneID(zoneName: "C"), syncToken: foreign), .init(zoneID: ZoneID(zoneName: "B")),
                ]))
            guard case .changes(let first) = answer.zones[0], case .error(let second) = answer.zones[1],
                case .error(let third) = answer.zones[2], case .changes(let fourth) = answer.zones[3]
            else { throw TestFailure("\(answer)") }
            #expect(first.records.map(\.recordName) == ["x"])
            #expect(second.error.code == .zoneNotFound)
            #expect(third.error.code == .badRequest)
            #expect(fourth.records.map(\.recordName) == ["y"])
        }
    }

    @Test("desiredRecordTypes filters records but never deletions")
    func types() async throws {
        try await withServer { client, _ in
            try await client.makeZone()
            try await client.save("gone")
            try await client.modify([
                operation(.create, "a", type: "Apple"), operation(.create, "p", type: "Pear"),
                operation(.forceDelete, "gone"),
            ])
            let answer: ZoneChangesResponse = try await client.call(
                .changesZone, ZoneChangesRequest(zones: [.init(zoneID: TestClient.zone)], desiredRecordTypes: ["Pear"]))
            guard case .changes(let changes) = answer.zones[0] else { throw TestFailure("\(answer)") }
            #expect(Set(changes.records.map(\.recordName)) == ["p", "gone"])
        }
    }

    @Test("tokens of another zone, user, kind or epoch, and altered ones, are refused in the zone's entry")
    func tokens() async throws {
        try await withServer { client, _ in
            let alice = client.user("alice"), bob = client.user("bob")
            for user in [alice, bob] {
                try await user.makeZone("Z")
                try await user.makeZone("Y")
                try await user.save("x")
                try await user.save("x", zone: "Y")
            }
            let token = try #require(try await alice.page().syncToken)
            let database: DatabaseChangesResponse = try await alice.call(.changesDatabase)
            let unknown = "Unknown sync continuation type"
            for (user, zone, text) in [
                (alice, "Y", token), (bob, "Z", token), (alice, "Z", database.syncToken ?? ""),
            ] {
                let error = await expectFailure(.badRequest) { try await user.page(text, zone: zone) }
                #expect(error?.reason == unknown)
            }
            for text in ["x", "AAAA", String(token.dropLast(4)), token + "AAAA", "%%%"] {
                let error = await expectFailure(.badRequest) { try await alice.page(text) }
                #expect(error?.reason == "Invalid continuation format")
            }
            var bytes = Array(token.utf8)
            for index in bytes.indices {
                let old = bytes[index]
                bytes[index] = old == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
                let changed = String(decoding: bytes, as: UTF8.self)
                _ = await expectFailure(.badRequest) { try await alice.page(changed) }
                bytes[index] = old
            }
            let wrong = await expectFailure(.badRequest) {
                try await alice.call(
                    .changesDatabase, DatabaseChangesRequest(syncToken: token), as: DatabaseChangesResponse.self)
            }
            #expect(wrong?.reason == unknown)
        }
    }

    @Test("a zone that is made again starts afresh: old tokens expire, and change tags go on")
    func recreation() async throws {
        try await withServer { client, server in
            try await client.makeZone()
            let old = try await client.save("A")
            let token = try await client.page().syncToken
            let deletion = ZonesModifyRequest(operations: [.init(.delete, TestClient.zone)])
            _ = try await client.call(.zonesModify, deletion, as: ZonesResponse.self)
            _ = await expectFailure(.zoneNotFound) { try await client.page(token) }
            try await client.makeZone()
            let error = await expectFailure(.badRequest) { try await client.page(token) }
            #expect(error?.reason == "sync token expired")
            #expect(try await client.page().records.isEmpty)
            let new = try await client.save("A")
            #expect(new.recordChangeTag != old.recordChangeTag)
            let stale = try await client.modify([operation(.update, "A", tag: old.recordChangeTag)])
            #expect(stale[0].error?.code == .conflict)

            let fresh = try await client.page().syncToken
            let database: DatabaseChangesResponse = try await client.call(.changesDatabase)
            try await server.invalidateSyncTokens()
            #expect(await expectFailure(.badRequest) { try await client.page(fresh) }?.reason == "sync token expired")
            let expired = await expectFailure(.badRequest) {
                try await client.call(
                    .changesDatabase, DatabaseChangesRequest(syncToken: database.syncToken),
                    as: DatabaseChangesResponse.self)
            }
            #expect(expired?.reason == "sync token expired")
        }
    }

    @Test("records/changes answers as changes/zone does, with errors at the top")
    func olderForm() async throws {
        try await withServer { client, _ in
            try await client.makeZone()
            try await client.modify([create("A"), create("B")])
            try await client.save("C")
            let request = RecordChangesRequest(zone: .init(zoneID: TestClient.zone), resultsLimit: 1)
            let first: RecordChangesResponse = try await client.call(.recordsChanges, request)
            #expect(first.records.map(\.recordName) == ["A", "B"])
            #expect(first.moreComing)
            #expect(try await client.page(first.syncToken).records.map(\.recordName) == ["C"])
            _ = await expectFailure(.zoneNotFound) {
                try await client.call(
                    .recordsChanges, RecordChangesRequest(zone: .init(zoneID: ZoneID(zoneName: "no"))),
                    as: RecordChangesResponse.self)
            }
        }
    }

    @Test("a page is not larger than an answer may be")
    func bytes() async throws {
        try await withServer({ $0.standardLimits.answer = 24_000 }) { client, _ in
            try await client.makeZone()
            let text = WireValue.string(String(repeating: "x", count: 6000))
            for index in 0..<7 { try await client.save("r\(index)", ["text": text]) }
            let first = try await client.page()
            #expect(first.moreComing)
            #expect(first.records.count == 3)
            #expect(try await client.follow().records.count == 7)
        }
    }
}
