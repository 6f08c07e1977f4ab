import BackstitchSupport
import CloudWire
import TestSupport
import Testing

@testable import BackstitchServer

/// A record with many assets costs the writer as little as one with few.
@Suite struct AssetLimitTests {
    private func uploaded(_ client: TestClient, _ content: [UInt8]) async throws -> WireAsset {
        try AssetUploadReceipt(wireJSON: try await client.upload(content).body).singleFile
    }

    @Test(
        "a record has so many assets at most, whether one request brings them or several",
        arguments: StorageKind.allCases)
    func most(_ kind: StorageKind) async throws {
        try await withServer(on: kind) { client, _ in
            try await client.makeZone()
            let asset = try await uploaded(client, [1])
            func list(_ count: Int) -> WireValue { .assetList(Array(repeating: asset, count: count)) }
            let most = RecordRules.mostAssets
            let refused = try await client.modify([create("A", ["file": list(most + 1)])])[0].error
            #expect(refused?.isLimitExceeded == true, "\(String(describing: refused))")
            #expect(refused?.reason.contains("'A' has 1025 assets, at most 1024") == true)
            let split: [String: WireValue?] = ["file": list(most), "files": .asset(asset)]
            #expect(try await client.modify([create("A", split)])[0].error?.isLimitExceeded == true)
            try await client.save("A", ["file": list(most)])
            let further = try await client.modify([operation(.forceUpdate, "A", ["more": .asset(asset)])])[0].error
            #expect(further?.code == .badRequest)
            try await client.save(.forceUpdate, "A", ["title": .string("t")])
            let record = try await client.lookup(["A"])[0].record()
            #expect(record.value("file")?.assets.count == most && record.value("more") == nil)
            try await client.save(.forceUpdate, "A", ["file": list(3)])
        }
    }

    @Test("assets that a record has already are looked for together, and corrected in one pass")
    func cost() async throws {
        try await withServer { client, server in
            try await client.makeZone()
            var assets: [WireAsset] = []
            for number in 0..<100 { assets.append(try await uploaded(client, [UInt8(number)])) }
            let many = (0..<RecordRules.mostAssets).map { assets[$0 % assets.count] }
            try await client.save("A", ["file": .assetList(many)])
            let statements = try await StatementCount(server)
            // With sizes that are not theirs.
            let sentAgain = many.map { asset in
                var asset = asset
                asset.receipt = nil
                asset.size = 7
                return asset
            }
            let changes = ["file", "files"].map {
                operation(.forceUpdate, $0 == "file" ? "A" : "B", [$0: .assetList(sentAgain)])
            }
            let results = try await client.modify(changes, atomic: false)
            #expect(try results[0].record().value("file")?.assets.allSatisfy { $0.size == 1 } == true)
            #expect(results[1].error?.code == .badRequest)
            let all = statements.takeAll()
            #expect(all.count { $0.contains("SELECT checksum, size FROM (") && $0.contains(" UNION ALL ") } == 2)
            #expect(!all.contains { $0.contains("size, uploaded FROM asset") })
            #expect(all.count { $0.contains("INSERT INTO asset_use") } <= assets.count)
        }
    }

    @Test(
        "sizes of many assets are found at once, and none of what is not there", arguments: StorageKind.allCases)
    func sizes(_ kind: StorageKind) async throws {
        try await kind.withStorage { storage in
            let all = (0..<200).map { AssetChecksum(contentOf: Array("\($0)".utf8)) }
            let found = try await storage.write { writing in
                for (number, checksum) in all.enumerated() where number != 66 {
                    try writing.putAsset(
                        StoredAsset(tenantID: 1, checksum: checksum, size: Int64(number), uploaded: 1))
                }
                try writing.putAsset(StoredAsset(tenantID: 2, checksum: all[66], size: 66, uploaded: 1))
                return try [all, Array(all[60...66]), [all[9]], []].map { try writing.assetSizes(tenantID: 1, of: $0) }
            }
            #expect(found.map(\.count) == [199, 6, 1, 0])
            #expect(all.indices.allSatisfy { found[0][all[$0]] == ($0 == 66 ? nil : Int64($0)) })
        }
    }
}
