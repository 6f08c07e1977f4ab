import BackstitchSupport
import CloudWire
import Crypto
import Foundation
import NIOHTTP1
import TestSupport
import Testing

@testable import BackstitchServer

extension S3Tests {
    @Suite("go there and come back") struct TransferTests {
        @Test("whole, whatever their size, and are what another program reads")
        func sizes() async throws {
            try await S3Tests.withBucket { client, server, moto, bucket in
                // The last one is uploaded in parts.
                for (number, size) in [0, 1, 5 << 20, 20_000_000].enumerated() {
                    let content = S3Tests.content(size)
                    let url = try await client.saveAsset("A\(number)", content)
                    let key = S3Tests.key(content)
                    #expect(try await moto.objects(bucket)[key] == size)
                    #expect(try await moto.digest(bucket, key) == Crypto.SHA256.hash(data: content).hexadecimal)
                    let read = try await client.send(url, method: .GET)
                    #expect(read.status == 200)
                    #expect(read.body == content, "\(size) bytes")
                }
                #expect(try await moto.uploads(bucket).isEmpty)
                #expect(try server.spooledFiles().isEmpty)
                let files = FileManager.default.subpaths(
                    atPath: try server.working.context.storage.assets.incoming("").deletingLastPathComponent().path)
                #expect(files?.sorted() == ["incoming", "partial"])
            }
        }

        @Test("in the part that was asked for")
        func ranges() async throws {
            let content = S3Tests.content(300_000)
            try await S3Tests.withBucket { client, _, _, _ in
                let url = try await client.saveAsset("A", content)
                let ranges: [(String, ClosedRange<Int>)] = [
                    ("bytes=0-0", 0...0), ("bytes=100-299", 100...299), ("bytes=299990-", 299_990...299_999),
                    ("bytes=-5", 299_995...299_999), ("bytes=299999-400000", 299_999...299_999),
                ]
                for (header, range) in ranges {
                    let part = try await client.send(url, method: .GET, headers: ["Range": header])
                    #expect(part.status == 206)
                    #expect(part.body == Array(content[range]))
                    #expect(
                        part.headers["Content-Range"] == ["bytes \(range.lowerBound)-\(range.upperBound)/300000"])
                }
                #expect(try await client.send(url, method: .GET, headers: ["Range": "bytes=300000-"]).status == 416)
                let head = try await client.send(url, method: .HEAD)
                #expect(head.status == 200)
                #expect(head.headers["Content-Length"] == ["300000"])
            }
        }

        @Test("once for the same content, and not found when somebody has removed it")
        func missing() async throws {
            let content = S3Tests.content(1_000)
            try await S3Tests.withBucket { client, _, moto, bucket in
                let url = try await client.saveAsset("A", content)
                _ = try await client.saveAsset("B", content)
                #expect(try await moto.objects(bucket) == [S3Tests.key(content): 1_000])
                try await moto.remove(bucket, S3Tests.key(content))
                #expect(try await client.send(url, method: .HEAD).status == 404)
                let answer = try await client.send(url, method: .GET)
                #expect(answer.status == 404)
                #expect(try WireError(wireJSON: answer.body).code == .notFound)
                try await moto.put(bucket, S3Tests.key(content), "short")
                #expect(try await client.send(url, method: .GET).status == 404)
            }
        }

        @Test("not at all when the file is not what was received", arguments: [1_000, 6 << 20, 12_000_000])
        func damaged(_ size: Int) async throws {
            try await S3Tests.withBucket { client, server, moto, bucket in
                let assets = try server.working.assets.contents
                var content = S3Tests.content(size)
                try await S3Tests.withReceived(content) { received in
                    let name = AssetName(tenantID: 1, checksum: received.checksum)
                    content[size / 2] ^= 1
                    try Data(content).write(to: received.file)
                    await #expect(throws: FilePieces.Changed.self) { try await assets.adopt(received, as: name) }
                    #expect(try await assets.has(name) == false)
                    #expect(try await moto.objects(bucket) == [:])
                    #expect(try await moto.uploads(bucket).isEmpty)
                    // A file that has become shorter.
                    try Data(content.prefix(size / 3)).write(to: received.file)
                    await #expect(throws: FilePieces.Changed.self) { try await assets.adopt(received, as: name) }
                    #expect(try await moto.objects(bucket) == [:])
                }
            }
        }
    }
}
