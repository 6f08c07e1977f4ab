import Backstitch
import BackstitchSupport
import BackstitchTestKit
import CloudWire
import Foundation
import NIOHTTP1
import TestSupport
import Testing

@testable import BackstitchServer

extension S3Tests {
    @Suite("are collected") struct CollectionTests {
        private static let day: Int64 = 24 * 3_600_000

        private func withClock(
            _ body: (TestClient, ZoneServer, MotoStore, String, VirtualClock) async throws -> Void
        ) async throws {
            // The store's objects have the time of this machine.
            let clock = VirtualClock(milliseconds: SystemClock().milliseconds())
            try await S3Tests.withBucket({ configuration, moto, bucket in
                configuration.clock = clock
                configuration.assets = .s3(moto.configuration(bucket))
            }) { try await body($0, $1, $2, $3, clock) }
        }

        @Test("when their last record goes, or none takes them")
        func unused() async throws {
            let shared = S3Tests.content(70_000), unclaimed: [UInt8] = [1, 2, 3]
            try await withClock { client, server, moto, bucket, clock in
                _ = try await client.saveAsset("A", shared)
                _ = try await client.saveAsset("B", shared)
                #expect(try await client.upload(unclaimed).status == 200)
                clock.advance(by: 14 * 60_000)
                try await server.cleanUp()
                #expect(try await moto.objects(bucket).count == 2)
                clock.advance(by: 2 * 60_000)
                try await server.cleanUp()
                #expect(try await moto.objects(bucket) == [S3Tests.key(shared): 70_000])
                try await client.save(.forceDelete, "A")
                try await server.cleanUp()
                #expect(try await moto.objects(bucket).count == 1)
                try await client.save(.forceDelete, "B")
                try await server.cleanUp()
                #expect(try await moto.objects(bucket) == [:])
                let again = try await client.saveAsset("C", shared)
                #expect(try await client.send(again, method: .GET).body == shared)
            }
        }

        @Test("when a crash has left them, after a day; what is not ours stays")
        func strays() async throws {
            let used = S3Tests.content(2_000), stray = S3Tests.content(3_000)
            try await withClock { client, server, moto, bucket, clock in
                _ = try await client.saveAsset("A", used)
                // The server was killed when the content was there, and its row was not.
                try await S3Tests.withReceived(stray) { received in
                    try await server.working.assets.contents.adopt(
                        received, as: AssetName(tenantID: 1, checksum: received.checksum))
                }
                for number in 0..<40 { try await moto.put(bucket, S3Tests.key([7, UInt8(number)]), "x") }
                try await moto.put(bucket, "zones/assets-old/1", "of somebody else")
                try await server.cleanUp()
                #expect(try await moto.objects(bucket).count == 43)
                // Foreign objects, more than a store lists at a time.
                try await moto.fill(bucket, "zones/assets/0/note", 1_001)
                try await moto.begin(bucket, S3Tests.key([8]))
                try await moto.begin(bucket, "zones/assets/other")
                clock.advance(by: 2 * Self.day)
                try await server.cleanUp()
                let left = try await moto.objects(bucket).keys.filter { !$0.hasPrefix("zones/assets/0/note") }
                #expect(Set(left) == [S3Tests.key(used), "zones/assets-old/1"])
                #expect(try await moto.objects(bucket).count == 1_003)
                #expect(try await moto.uploads(bucket) == ["zones/assets/other"])
                guard case .asset(let asset)? = try await client.lookup(["A"])[0].record().value("file") else {
                    throw TestFailure("the asset has gone")
                }
                #expect(try await client.send(asset.downloadURL ?? "", method: .GET).body == used)
            }
        }

        @Test("but never while the same content comes again")
        func atOnce() async throws {
            let content = S3Tests.content(9_000)
            try await withClock { client, server, moto, bucket, clock in
                try await client.collectWhileItComes(content, rounds: 6, server, clock)
                #expect(try await moto.objects(bucket).count <= 1)
            }
        }

        @Test("from one prefix by one storage: others have their own")
        func prefixes() async throws {
            let content = S3Tests.content(4_000)
            try await withClock { client, server, moto, bucket, clock in
                let url = try await client.saveAsset("A", content)
                try await withFolder { folder in
                    try await withServer({
                        $0.storage = .directory(folder)
                        $0.clock = clock
                        $0.assets = .s3(moto.configuration(bucket, prefix: "zones/others"))
                    }) { other, otherServer in
                        try await other.makeZone()
                        _ = try await other.saveAsset("A", content)
                        #expect(
                            try await Set(moto.objects(bucket).keys) == [
                                S3Tests.key(content), S3Tests.key(content, prefix: "zones/others"),
                            ])
                        try await other.save(.forceDelete, "A")
                        clock.advance(by: 30 * 60_000)
                        try await otherServer.cleanUp()
                        #expect(try await Array(moto.objects(bucket).keys) == [S3Tests.key(content)])
                    }
                    var configuration = ZoneServerConfiguration(port: 0, storage: .directory(folder))
                    configuration.assets = .s3(moto.configuration(bucket))
                    let intruder = try ZoneServer(configuration: configuration)
                    await #expect { try await intruder.start() } throws: { error in
                        "\(error)".contains("has the assets of another storage")
                            && "\(error)".contains("--assets s3://")
                    }
                    // It has closed its storage, and comes back to what is its own.
                    configuration.assets = .s3(moto.configuration(bucket, prefix: "zones/others"))
                    let back = try ZoneServer(configuration: configuration)
                    _ = try await back.start()
                    try await back.stop()
                }
                #expect(try await client.send(url, method: .GET).body == content)
            }
        }
    }
}
