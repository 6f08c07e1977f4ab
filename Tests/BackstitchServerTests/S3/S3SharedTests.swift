import Backstitch
import BackstitchSupport
import BackstitchTestKit
import CloudWire
import NIOHTTP1
import TestSupport
import Testing

@testable import BackstitchServer

extension S3Tests {
    @Suite("of several servers") struct SharedTests {
        @Test("on one database: what one has taken the other sends and collects")
        func together() async throws {
            let content = S3Tests.content(20_000)
            let clock = VirtualClock(milliseconds: SystemClock().milliseconds())
            let source = try StorageKind.source(schema: "zones_s3_\(UInt64.random(in: 0 ... .max))")
            try await S3Tests.withBucket({ configuration, moto, bucket in
                configuration.storage = .database(source)
                configuration.clock = clock
                configuration.assets = .s3(moto.configuration(bucket))
            }) { first, _, moto, bucket in
                try await withServer({
                    $0.storage = .database(source)
                    $0.clock = clock
                    $0.assets = .s3(moto.configuration(bucket))
                }) { second, secondServer in
                    _ = try await first.saveAsset("A", content)
                    guard case .asset(let asset)? = try await second.lookup(["A"])[0].record().value("file") else {
                        throw TestFailure("no asset")
                    }
                    #expect(try await second.send(asset.downloadURL ?? "", method: .GET).body == content)
                    for round in 0..<4 {
                        try await first.save(.forceDelete, round == 0 ? "A" : "B\(round - 1)")
                        clock.advance(by: 16 * 60_000)
                        async let collected: Void = secondServer.cleanUp()
                        async let url = first.saveAsset("B\(round)", content)
                        try await collected
                        #expect(try await first.send(try await url, method: .GET).body == content)
                    }
                    try await second.save(.forceDelete, "B3")
                    clock.advance(by: 16 * 60_000)
                    try await secondServer.cleanUp()
                    #expect(try await moto.objects(bucket) == [:])
                }
            }
        }

        @Test("need a place for the content: a database has no folder of its own")
        func nowhere() throws {
            let source = try StorageKind.source(schema: "zones_none")
            let error = #expect(throws: ZoneServerError.self) {
                try ZoneServer(configuration: ZoneServerConfiguration(port: 0, storage: .database(source)))
            }
            #expect(error?.code == .invalidConfiguration)
        }
    }
}
