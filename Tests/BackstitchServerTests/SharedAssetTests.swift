import Backstitch
import BackstitchSupport
import BackstitchTestKit
import CloudWire
import Foundation
import NIOHTTP1
import TestSupport
import Testing

@testable import BackstitchServer

/// The content of assets of several servers on one database.
@Suite struct SharedAssetTests {
    private let content = Array("content that comes and goes".utf8)

    private var name: AssetName { AssetName(tenantID: 1, checksum: AssetChecksum(contentOf: content)) }

    /// Runs two servers on a database and a folder.
    private func withTwo(
        _ body: (TestClient, ZoneServer, TestClient, ZoneServer, VirtualClock) async throws -> Void
    ) async throws {
        let clock = VirtualClock(milliseconds: SystemClock().milliseconds())
        try await withServer(on: .postgreSQL, { $0.clock = clock }) { first, firstServer in
            try await withServer({
                $0.storage = firstServer.configuration.storage
                $0.clock = clock
            }) { second, secondServer in
                try await first.makeZone()
                try await body(first, firstServer, second, secondServer, clock)
            }
        }
    }

    @Test("content is not collected by one server while the same content comes to another")
    func collectedAtOnce() async throws {
        try await withTwo { first, _, second, secondServer, clock in
            for round in 0..<20 {
                _ = try await first.saveAsset("A\(round)", content)
                try await first.save(.forceDelete, "A\(round)")
                clock.advance(by: 16 * 60_000)
                async let collected: Void = secondServer.cleanUp()
                async let url = first.saveAsset("B\(round)", content)
                try await collected
                #expect(try await first.send(try await url, method: .GET).body == content)
                guard case .asset(let asset)? = try await second.lookup(["B\(round)"])[0].record().value("file") else {
                    throw TestFailure("no asset")
                }
                #expect(try await second.send(asset.downloadURL ?? "", method: .GET).body == content)
                try await first.save(.forceDelete, "B\(round)")
            }
        }
    }

    @Test("a removal that its server has left is ended by another one after a time, and until then the content waits")
    func left() async throws {
        try await withTwo { first, firstServer, _, secondServer, clock in
            let storage = try firstServer.working.context.storage, name = self.name
            let turn = RemovalTurn(server: 7, begun: clock.milliseconds())
            #expect(try await storage.write { try $0.beginRemoval(of: [name], by: turn) } == [name])
            try await secondServer.cleanUp()
            let refused = try await first.upload(content)
            #expect(refused.text.contains("TRY_AGAIN_LATER"), "\(refused.text)")
            clock.advance(by: 61 * 60_000)
            try await secondServer.cleanUp()
            let url = try await first.saveAsset("A", content)
            #expect(try await first.send(url, method: .GET).body == content)
            // The server that was held up for this time finds that its turn is over.
            try await storage.write { try $0.endRemoval(of: [name], by: turn) }
            try await secondServer.cleanUp()
            #expect(try await first.send(url, method: .GET).body == content)
        }
    }

    @Test("a row is written where no content of the tenant was removed since, and only content without a row is")
    func turns() async throws {
        try await StorageKind.postgreSQL.withStorage { storage in
            let key = DatabaseKey(tenant: "iCloud.test/development", scope: .private, owner: "u")
            let tenantID = try await storage.write { try $0.makeOwner(key, epoch: 1).tenantID }
            let name = AssetName(tenantID: tenantID, checksum: self.name.checksum)
            let asset = StoredAsset(tenantID: tenantID, checksum: name.checksum, size: 1, uploaded: 1)
            let mine = RemovalTurn(server: 1, begun: 1_000), other = RemovalTurn(server: 2, begun: 1_001)
            let late = RemovalTurn(server: 2, begun: 4 * 3_600_000)
            func removals() async throws -> Int64? { try await storage.read { try $0.removals(of: name) } }

            #expect(try await removals() == 0)
            #expect(try await storage.write { try $0.beginRemoval(of: [name], by: mine) } == [name])
            #expect(try await removals() == nil)
            #expect(try await storage.write { try $0.beginRemoval(of: [name], by: other) } == [])
            #expect(try await storage.write { try $0.putAsset(asset, after: 0) } == false)
            #expect(try await storage.read { try $0.unendedRemovals(for: other, limit: 9) } == [])
            #expect(try await storage.read { try $0.unendedRemovals(for: late, limit: 9) } == [name])
            #expect(try await storage.write { try $0.beginRemoval(of: [name], by: late) } == [name])
            try await storage.write { try $0.endRemoval(of: [name], by: mine) }
            #expect(try await removals() == nil)
            try await storage.write { try $0.endRemoval(of: [name], by: late) }
            let count = try #require(try await removals())
            #expect(try await storage.write { try $0.putAsset(asset, after: count) })
            #expect(try await storage.write { try $0.beginRemoval(of: [name], by: mine) } == [])
            #expect(try await removals() == count + 1)
        }
    }

    @Test("content whose server stopped before it had a row goes after a day, and so does what it was receiving")
    func strays() async throws {
        try await withTwo { first, firstServer, _, secondServer, clock in
            let url = try await first.saveAsset("A", content)
            let folder = try firstServer.working.context.storage.assets
            let stray = AssetName(tenantID: 1, checksum: AssetChecksum(contentOf: Array("stray".utf8)))
            let draft = folder.incoming("left")
            try Data("stray".utf8).write(to: draft)
            try folder.adopt(draft, as: stray)
            clock.advance(by: 2 * 86_400_000)
            try await secondServer.cleanUp()
            #expect(!folder.has(stray))
            #expect(!FileManager.default.fileExists(atPath: draft.path))
            guard case .asset(let asset)? = try await first.lookup(["A"])[0].record().value("file") else {
                throw TestFailure("no asset: \(url)")
            }
            #expect(try await first.send(asset.downloadURL ?? "", method: .GET).body == content)
        }
    }
}
