import BackstitchTestKit
import CloudWire
import NIOHTTP1
import TestSupport
import Testing

@testable import BackstitchServer

/// `assets/rereference`: a record gets the content of another record without a new upload.
@Suite("assets of other records") struct RereferenceTests {
    private let content = Array("the same bytes".utf8)

    private func refer(
        _ client: TestClient, _ sources: [AssetRereferenceRequest.Source], zone: String? = "Z"
    ) async throws -> [AssetRereferenceResponse.Asset] {
        let answer: AssetRereferenceResponse = try await client.call(
            .assetsRereference,
            AssetRereferenceRequest(zoneID: zone.map { ZoneID(zoneName: $0) }, assets: sources))
        return answer.assets
    }

    private func asset(_ result: AssetRereferenceResponse.Asset?) throws -> WireAsset {
        guard case .asset(let asset)? = result else { throw TestFailure("no asset: \(String(describing: result))") }
        return asset
    }

    private func code(_ result: AssetRereferenceResponse.Asset) -> WireErrorCode? {
        if case .error(_, _, let error) = result { error.code } else { nil }
    }

    private func downloadURL(_ record: WireRecord, _ field: String) throws -> String {
        guard case .asset(let asset)? = record.value(field), let url = asset.downloadURL else {
            throw TestFailure("no asset: \(record)")
        }
        return url
    }

    @Test(
        "another record takes the content into any field, and keeps it when the first one goes; a user pays for both",
        arguments: StorageKind.allCases)
    func takes(_ kind: StorageKind) async throws {
        let clock = VirtualClock()
        try await withServer(on: kind, { $0.clock = clock }) { client, server in
            for zone in ["Y", "Z"] { try await client.makeZone(zone) }
            _ = try await client.saveAsset("A", content)
            func used() async throws -> Int {
                let service = try server.working
                return try await service.context.storage.read { try $0.usage(tenantID: 1, user: "_development").bytes }
            }
            let before = try await used()
            let value = try asset(try await refer(client, [.init(recordName: "A", fieldName: "file")]).first)
            #expect(value.size == content.count && value.receipt != nil && value.downloadURL == nil)
            try await client.save("B", ["picture": .asset(value)])
            let one = try await used() - before
            #expect(one >= content.count)
            // Into a list, in another zone, and by the same receipt.
            try await client.save("C", ["pictures": .assetList([value])], zone: "Y")
            try await client.on("public").save("D", ["picture": .asset(value)], zone: nil)
            #expect(try await used() - before >= 3 * content.count)

            try await client.save(.forceDelete, "A")
            clock.advance(by: 2 * 86_400_000)
            try await server.cleanUp()
            let record = try await client.lookup(["B"])[0].record()
            #expect(try await client.send(try downloadURL(record, "picture"), method: .GET).body == content)
        }
    }

    @Test(
        "what was asked for stays as long as an upload, also when the record that had it goes",
        arguments: StorageKind.allCases)
    func stays(_ kind: StorageKind) async throws {
        let clock = VirtualClock()
        try await withServer(on: kind, { $0.clock = clock }) { client, server in
            try await client.makeZone()
            _ = try await client.saveAsset("A", content)
            clock.advance(by: 3_600_000)
            let value = try asset(try await refer(client, [.init(recordName: "A", fieldName: "file")]).first)
            try await client.save(.forceDelete, "A")
            let retention = Int64(server.configuration.uploadRetention) * 1000
            clock.advance(by: retention - 1_000)
            try await server.cleanUp()
            try await client.save("B", ["file": .asset(value)])
            try await client.save(.forceDelete, "B")
            clock.advance(by: 2 * retention)
            try await server.cleanUp()
            let late = try await client.modify([create("C", ["file": .asset(value)])])
            #expect(late[0].error?.code == .tryAgainLater)
            let gone = try await refer(client, [.init(recordName: "B", fieldName: "file")])
            #expect(gone.map(code) == [.notFound])
        }
    }

    @Test("a receipt is good for as long as an upload, also where a record has the content still")
    func receiptsEnd() async throws {
        let clock = VirtualClock()
        try await withServer({ $0.clock = clock }) { client, server in
            try await client.makeZone()
            let upload = try AssetUploadReceipt(wireJSON: try await client.upload(content).body).singleFile
            try await client.save("A", ["file": .asset(upload)])
            let value = try asset(try await refer(client, [.init(recordName: "A", fieldName: "file")]).first)
            let retention = Int64(server.configuration.uploadRetention) * 1000
            clock.advance(by: retention - 1)
            for (name, receipt) in [("B", upload), ("C", value)] {
                try await client.save(name, ["file": .asset(receipt)])
            }
            clock.advance(by: 1)
            for (name, receipt) in [("D", upload), ("E", value)] {
                let late = try await client.modify([create(name, ["file": .asset(receipt)])])
                #expect(late[0].error?.code == .tryAgainLater, "\(name)")
                #expect(late[0].error?.reason.contains("expired") == true)
            }
            // A user who may read the content gets another receipt.
            let again = try asset(try await refer(client, [.init(recordName: "A", fieldName: "file")]).first)
            try await client.save("F", ["file": .asset(again)])
        }
    }

    @Test("each item that cannot be has its own error, in its place", arguments: StorageKind.allCases)
    func items(_ kind: StorageKind) async throws {
        try await withServer(on: kind) { client, _ in
            try await client.makeZone()
            _ = try await client.saveAsset("A", content)
            try await client.save("B", ["title": .string("no file")])
            let others: [[UInt8]] = [[1, 2], [3, 4, 5]]
            var list: [WireAsset] = []
            for bytes in others {
                list.append(try AssetUploadReceipt(wireJSON: try await client.upload(bytes).body).singleFile)
            }
            try await client.save("L", ["file": .assetList(list)])
            let found = try await refer(
                client,
                [
                    .init(recordName: "none", fieldName: "file"), .init(recordName: "A", fieldName: "file"),
                    .init(recordName: "A", fieldName: "none"), .init(recordName: "B", fieldName: "title"),
                    .init(recordName: "L", fieldName: "file"),
                    .init(recordName: "L", fieldName: "file", fileChecksum: list[1].fileChecksum),
                    .init(recordName: "L", fieldName: "file", fileChecksum: "none"),
                ])
            #expect(
                found.map(code) == [.notFound, nil, .notFound, .notFound, .badRequest, nil, .notFound])
            #expect(try asset(found[5]).size == 3)
            let answer = try await client.raw(
                .assetsRereference,
                #"{"zoneID":{"zoneName":"Z"},"assets":[7,{"recordName":"A","fieldName":"file"},{"recordName":"A"}]}"#)
            let mixed = try AssetRereferenceResponse(wireJSON: answer.body).assets
            #expect(mixed.map(code) == [.badRequest, nil, .badRequest])
            await expectFailure(.zoneNotFound) { try await refer(client, [], zone: "none") }
            let many = (0...200).map { AssetRereferenceRequest.Source(recordName: "\($0)", fieldName: "file") }
            let error = await expectFailure(.badRequest) { try await refer(client, many) }
            #expect(error?.isLimitExceeded == true)
        }
    }

    @Test("a receipt is its user's, and only for a record that the user may read", arguments: StorageKind.allCases)
    func rights(_ kind: StorageKind) async throws {
        try await withServer(
            on: kind,
            {
                let isSet = $0.publicRoles.set("*:_world=;_icloud=create;_creator=write")
                #expect(isSet)
            }
        ) { client, _ in
            let ann = client.user("_ann"), bob = client.user("_bob")
            for user in [ann, bob] { try await user.makeZone() }
            _ = try await ann.saveAsset("A", content)
            let source = AssetRereferenceRequest.Source(recordName: "A", fieldName: "file")
            // Bob's zone of that name has no such record.
            #expect(try await refer(bob, [source]).map(code) == [.notFound])
            let value = try asset(try await refer(ann, [source]).first)
            let stolen = try await bob.modify([create("B", ["file": .asset(value)])])
            #expect(stolen[0].error?.code == .badRequest)
            try await ann.on("public").save("A", ["file": .asset(value)], zone: nil)
            #expect(try await refer(bob.on("public"), [source], zone: nil).map(code) == [.accessDenied])
            #expect(try await refer(ann.on("public"), [source], zone: nil).map(code) == [nil])
            var forged = value
            forged.size += 1
            #expect(try await ann.modify([create("F", ["file": .asset(forged)])])[0].error?.code == .badRequest)
        }
    }

    @Test("who has no room for the content gets no receipt for it", arguments: StorageKind.allCases)
    func quotas(_ kind: StorageKind) async throws {
        try await withServer(on: kind, { $0.userQuotas.bytes = 40_000 }) { client, _ in
            let ann = client.user("_ann").on("public"), bob = client.user("_bob").on("public")
            let answer = try await ann.upload(Array(repeating: 7, count: 25_000), zone: nil)
            let file = try AssetUploadReceipt(wireJSON: answer.body).singleFile
            try await ann.save("A", ["file": .asset(file)], zone: nil)
            let source = AssetRereferenceRequest.Source(recordName: "A", fieldName: "file")
            #expect(try await refer(ann, [source], zone: nil).map(code) == [.quotaExceeded])
            #expect(try await refer(bob, [source, source], zone: nil).map(code) == [nil, .quotaExceeded])
        }
    }

    @Test("a file that a request names many times is looked at once", arguments: StorageKind.allCases)
    func repeats(_ kind: StorageKind) async throws {
        try await withServer(on: kind) { client, server in
            try await client.makeZone()
            _ = try await client.saveAsset("A", content)
            let statements = kind == .directory ? try await StatementCount(server) : nil
            let source = AssetRereferenceRequest.Source(recordName: "A", fieldName: "file")
            let found = try await refer(client, Array(repeating: source, count: 200))
            let first = try asset(found.first)
            #expect(found.count == 200 && found.allSatisfy { $0 == .asset(first) })
            if let statements { #expect(statements.take("INSERT INTO asset ") == 1) }
        }
    }
}
