import BackstitchSupport
import CloudWire
import CoreMetrics
import Foundation
import Logging
import NIOHTTP1
import TestSupport
import Testing

@testable import BackstitchServer

extension S3Tests {
    @Suite("survive that the store goes and comes") struct OutageTests {
        /// Cuts connections after some bytes: a count for each cut, then nothing more.
        private final class Scissors: Sendable {
            private let cuts = Locked<[(way: Relay.Way, bytes: Int)]>([])
            private let isDown = Locked(false)

            func cut(_ way: Relay.Way, after counts: [Int]) { cuts.withLock { $0 = counts.map { (way, $0) } } }

            /// Whether nothing passes at all.
            func setDown(_ value: Bool) { isDown.withLock { $0 = value } }

            func judge(_ way: Relay.Way, _ bytes: [UInt8]) -> Relay.Fate {
                if isDown.withLock({ $0 }) { return .isCut }
                return cuts.withLock { cuts in
                    guard let next = cuts.first, next.way == way else { return .passes }
                    cuts[0].bytes -= bytes.count
                    guard cuts[0].bytes < 0 else { return .passes }
                    cuts.removeFirst()
                    return .isCut
                }
            }
        }

        private func withScissors(
            _ body: (TestClient, ZoneServer, MotoStore, String, Scissors) async throws -> Void
        ) async throws {
            let moto = try await MotoStore.shared
            let scissors = Scissors()
            let listener = try Listener(at: .port(0))
            let relay = Relay(listener, to: { Socket(to: .port(moto.port)) }) { _ in { scissors.judge($0, $1) } }
            defer { relay.stop() }
            try await S3Tests.withBucket({ configuration, moto, bucket in
                configuration.clock = HastyClock()
                configuration.assets = .s3(moto.configuration(bucket, port: try listener.port))
            }) { try await body($0, $1, $2, $3, scissors) }
        }

        @Test("within a download, which goes on where it was")
        func download() async throws {
            let content = S3Tests.content(4_000_000)
            try await withScissors { client, _, _, _, scissors in
                let url = try await client.saveAsset("A", content)
                scissors.cut(.toClient, after: [1_500_000, 0, 900_000])
                let whole = try await client.send(url, method: .GET)
                #expect(whole.status == 200)
                #expect(whole.body == content)
                scissors.cut(.toClient, after: [500_000])
                let part = try await client.send(url, method: .GET, headers: ["Range": "bytes=1000000-2999999"])
                #expect(part.status == 206)
                #expect(part.body == Array(content[1_000_000..<3_000_000]))
            }
        }

        @Test("within a download, and does not come back: the client gets no more, and nothing wrong")
        func cutDownload() async throws {
            let content = S3Tests.content(4_000_000)
            try await withScissors { client, _, _, _, scissors in
                let url = try await client.saveAsset("A", content)
                scissors.cut(.toClient, after: [1_500_000] + Array(repeating: 0, count: 100))
                await #expect(throws: (any Error).self) { try await client.send(url, method: .GET) }
                scissors.cut(.toClient, after: [])
                #expect(try await client.send(url, method: .GET).body == content)
            }
        }

        @Test("within an upload, which is sent again", arguments: [1_000_000, 12_000_000])
        func upload(_ size: Int) async throws {
            let content = S3Tests.content(size)
            try await withScissors { client, server, moto, bucket, scissors in
                scissors.cut(.toServer, after: [size / 2, size / 4])
                let url = try await client.saveAsset("A", content)
                #expect(try await client.send(url, method: .GET).body == content)
                #expect(try await moto.objects(bucket) == [S3Tests.key(content): size])
                #expect(try server.spooledFiles().isEmpty)
            }
        }

        @Test("for longer: clients are told to try again, and what they then send is taken")
        func outage() async throws {
            let content = S3Tests.content(1_000_000)
            try await withScissors { client, server, moto, bucket, scissors in
                let url = try await client.saveAsset("A", S3Tests.content(1_000))
                scissors.setDown(true)
                async let sent = client.upload(content)
                async let read = client.send(url, method: .GET)
                for answer in try await [sent, read] {
                    #expect(answer.status == 503)
                    #expect(try WireError(wireJSON: answer.body).code == .tryAgainLater)
                    #expect(!answer.text.contains("AKIA"))
                }
                #expect(try server.spooledFiles().isEmpty)
                // Records need no store of assets.
                try await client.save("B", ["n": .int64(1)])
                scissors.setDown(false)
                #expect(try await moto.objects(bucket).count == 1)
                let again = try await client.saveAsset("C", content)
                #expect(try await client.send(again, method: .GET).body == content)
                #expect(try await client.send(url, method: .GET).status == 200)
            }
        }

        @Test("and the server's numbers tell of it, in the middle of a download too")
        func numbers() async throws {
            let metrics = PrometheusMetricsFactory()
            func failures(_ operation: String) -> String? {
                metrics.text().split(separator: "\n").first {
                    $0.hasPrefix("backstitch_asset_store_errors_total{operation=\"\(operation)\"}")
                }?.split(separator: " ").last.map(String.init)
            }
            try await withMetricsFactory(metrics) {
                try await withScissors { client, _, _, _, scissors in
                    let url = try await client.saveAsset("A", S3Tests.content(4_000_000))
                    #expect(failures("put") == "0" && failures("get") == "0")
                    scissors.cut(.toClient, after: [1_500_000] + Array(repeating: 0, count: 100))
                    await #expect(throws: (any Error).self) { try await client.send(url, method: .GET) }
                    #expect(try await eventually { failures("get") == "1" })
                    scissors.setDown(true)
                    #expect(try await client.send(url, method: .GET).status == 503)
                    #expect(try await client.upload(S3Tests.content(1_000)).status == 503)
                    #expect(failures("put") == "1" && failures("get") == "2")
                    scissors.setDown(false)
                }
            }
        }

        @Test("with 403 for one object, which keeps no other from being removed")
        func refusal() async throws {
            let moto = try await MotoStore.shared
            let client = S3Client(
                configuration: moto.configuration("notes", port: moto.faultyPort), clock: HastyClock(),
                random: SystemServerRandom())
            let store = S3ContentStore(client: client, runner: ThreadRunner(), logger: Logger(label: "test"))
            let names = (0..<40).map { AssetName(tenantID: 1, checksum: AssetChecksum(contentOf: [UInt8($0)])) }
            try await moto.fault(403, "AccessDenied", times: 1)
            await #expect(throws: AssetStoreFailure.self) { try await store.remove(names) }
            #expect(try await moto.answered() == 40)
        }

        @Test("with 503, a few times: a request is sent again, and in the end given up")
        func busy() async throws {
            let moto = try await MotoStore.shared
            let client = S3Client(
                configuration: moto.configuration("notes", port: moto.faultyPort), clock: HastyClock(),
                random: SystemServerRandom())
            try await moto.fault(503, "SlowDown", times: 2)
            try await client.perform(client.request("GET", [("list-type", "2")]))
            #expect(try await moto.answered() == 3)
            try await moto.fault(429, "TooManyRequests")
            await #expect { try await client.perform(client.request("GET")) } throws: { error in
                (error as? S3Failure)?.kind == .refused(status: 429, code: "TooManyRequests")
            }
            #expect(try await moto.answered() == 4)
            try await moto.fault(403, "AccessDenied")
            await #expect(throws: S3Failure.self) { try await client.perform(client.request("GET")) }
            #expect(try await moto.answered() == 1)
        }
    }
}
