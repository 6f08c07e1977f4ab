import Backstitch
import BackstitchSupport
import BackstitchTestKit
import CloudWire
import Crypto
import Foundation
import NIOHTTP1
import TestSupport
import Testing

@testable import BackstitchServer

/// The ceilings of uploads that go on, and their cost.
@Suite("limits of uploads that go on") struct PartialUploadLimitTests {
    private let content = letters(3_000)

    @Test("an announcement that makes no sense is an error in its place, and the others have theirs")
    func announcements() async throws {
        try await withServer({ $0.standardLimits.asset = 5_000 }) { client, _ in
            let checksum = AssetChecksum(contentOf: content).wire
            let plain = Data(Array(repeating: 7, count: 21)).base64EncodedString()
            let bad: [(String?, Int64?, String)] = [
                (checksum, nil, checksum), (nil, 5, "size 5"), ("??", 5, "'??'"), (plain, 5, plain),
                (String(checksum.dropLast(4)), 5, "fileChecksum"), (checksum, -1, "-1"), (checksum, 5_001, "5001"),
            ]
            var tokens = bad.map { checksum, size, _ in
                AssetUploadRequest.Token(
                    recordName: "A", recordType: nil, fieldName: "photo", fileChecksum: checksum, size: size)
            }
            tokens.append(.init(recordName: "A", recordType: nil, fieldName: "photo"))
            let answer: AssetUploadResponse = try await client.call(.assetsUpload, AssetUploadRequest(tokens: tokens))
            for (place, (_, _, part)) in zip(answer.tokens, bad) {
                #expect(place.error?.code == .badRequest && place.url.isEmpty)
                #expect(place.error?.reason.contains(part) == true, "\(part): \(place.error?.reason ?? "")")
                #expect(place.error?.reason.contains("'photo'") == true)
            }
            #expect(answer.tokens.last?.error == nil && answer.tokens.last?.url.isEmpty == false)
        }
    }

    @Test("an address for a file that was not announced answers to POST alone, and one for a file that was to POST too")
    func methods() async throws {
        try await withServer { client, server in
            let plain = try await GivenUpload(client, checksum: nil, size: nil)
            #expect(try await client.send(plain.url, method: .HEAD).status == 400)
            let patched = try await plain.patch(content, at: 0)
            #expect(patched.status == 400 && patched.text.contains("fileChecksum"))
            #expect(try await client.readBack(client.send(plain.url, body: content).asset()) == content)
            let upload = try await GivenUpload(client, content)
            _ = try await upload.patch(content[..<100], at: 0)
            #expect(try await client.readBack(client.send(upload.url, body: content).asset()) == content)
            // As at any address, for any other announcement.
            #expect(try await client.readBack(client.send(upload.url, body: [1, 2]).asset()) == [1, 2])
            #expect(try await upload.offset() == 100)
            for method in [HTTPMethod.GET, .DELETE] {
                #expect(try await client.send(upload.url, method: method).status == 400)
            }
            #expect(try server.partials().count == 1)
        }
    }

    @Test("a part that nobody goes on with goes after a day, and one that somebody sends stays")
    func cleanUp() async throws {
        let clock = VirtualClock()
        try await withServer({ $0.clock = clock }) { client, server in
            _ = try await GivenUpload(client, content).patch(content[..<100], at: 0)
            let other = letters(3_000, seed: 1)
            _ = try await GivenUpload(client, other).patch(other[..<100], at: 0)
            clock.advance(by: 23 * 3_600_000)
            try await server.cleanUp()
            let upload = try await GivenUpload(client, content)
            #expect(try await upload.offset() == 100)
            let slow = try await upload.begin("", at: 100, of: 1_000)
            defer { slow.end() }
            let service = try #require(server.state.withLock { $0.service })
            #expect(try await eventually { service.context.ledger.held(.uploads, of: "_development") == 1 })
            clock.advance(by: 2 * 3_600_000)
            try await server.cleanUp()
            #expect(try server.partials().count == 1)
            #expect(try await GivenUpload(client, other).offset() == 0)
            #expect(try await GivenUpload(client, content).offset() == 100)
        }
    }

    @Test("of a user's seventeen parts the one that stood still for longest goes")
    func files() async throws {
        let clock = VirtualClock()
        try await withServer({ $0.clock = clock }) { client, server in
            let bob = client.user("bob")
            _ = try await GivenUpload(bob, content).patch(content[..<100], at: 0)
            let contents = (0..<17).map { letters(3_000, seed: $0 + 1) }
            for content in contents {
                clock.advance(by: 1_000)
                #expect(try await GivenUpload(client, content).patch(content[..<100], at: 0).status == 204)
            }
            #expect(try server.partials().count == 17)
            for (number, content) in contents.enumerated() {
                #expect(try await GivenUpload(client, content).offset() == (number == 0 ? 0 : 100), "\(number)")
            }
            #expect(try await GivenUpload(bob, content).offset() == 100)
        }
    }

    @Test("a file for which the user has no room is refused at its first byte, and parts make room for others")
    func bytes() async throws {
        try await withServer({ $0.userQuotas.bytes = 5_000 }) { client, server in
            let large = letters(6_000)
            let refused = try await GivenUpload(client, large).patch(large[..<1], at: 0)
            #expect(try WireError(wireJSON: refused.body).code == .quotaExceeded)
            #expect(try server.partials().isEmpty)
            _ = try await GivenUpload(client, content).patch(content[..<2_500], at: 0)
            let other = letters(3_000, seed: 1)
            #expect(try await GivenUpload(client, other).patch(other[..<100], at: 0).status == 204)
            #expect(try await GivenUpload(client, content).offset() == 0)
            #expect(try await GivenUpload(client, other).offset() == 100)
        }
    }

    @Test("a PATCH counts as an upload, and those beyond so many are throttled")
    func uploads() async throws {
        try await withServer({ $0.userQuotas.uploads = 1 }) { client, server in
            let slow = try await GivenUpload(client, content).begin("abc", at: 0, of: 1_000)
            defer { slow.end() }
            let service = try #require(server.state.withLock { $0.service })
            #expect(try await eventually { service.context.ledger.held(.uploads, of: "_development") == 1 })
            let other = letters(3_000, seed: 1)
            let answer = try await GivenUpload(client, other).patch(other, at: 0)
            #expect(try WireError(wireJSON: answer.body).code == .throttled)
            #expect(try await GivenUpload(client, other).offset() == 0)
        }
    }

    @Test("parts are the server's alone, and no link is followed")
    func modes() async throws {
        try await withFolder { folder in
            try await withServer({ $0.storage = .directory(folder) }) { client, server in
                let upload = try await GivenUpload(client, content)
                _ = try await upload.patch(content[..<100], at: 0)
                let partial = folder.appending(path: "assets/partial")
                let file = partial.appending(path: try #require(try server.partials().first))
                func mode(_ url: URL) throws -> Int? {
                    try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
                }
                #expect(try mode(file) == 0o600)
                #expect(try mode(file.deletingLastPathComponent()) == 0o700 && mode(partial) == 0o700)
                let target = folder.appending(path: "target")
                try Data(content[..<100]).write(to: target)
                try FileManager.default.removeItem(at: file)
                try FileManager.default.createSymbolicLink(at: file, withDestinationURL: target)
                #expect(try await upload.patch(content[100...], at: 100).status == 500)
                #expect(try Data(contentsOf: target) == Data(content[..<100]))
            }
        }
    }

    @Test("a file that a loss of power has damaged is not taken")
    func damaged() async throws {
        try await withFolder { folder in
            try await withServer({ $0.storage = .directory(folder) }) { client, server in
                let upload = try await GivenUpload(client, content)
                _ = try await upload.patch(content[..<2_000], at: 0)
                let name = try #require(try server.partials().first)
                let file = folder.appending(path: "assets/partial/\(name)")
                try Data(repeating: 0, count: 1_000).write(to: file)
                #expect(try await upload.patch(content[2_000...], at: 2_000).offset == 1_000)
                #expect(try await upload.patch(content[1_000...], at: 1_000).offset == 0)
                #expect(try await client.readBack(upload.patch(content, at: 0).asset()) == content)
            }
        }
    }

    @Test("a file of 256 MB that comes piece by piece costs the server little memory")
    func memory() async throws {
        try await withFolder { folder in
            let process = try await BlockingWork.run {
                try TestProcess("DurabilityProbe", ["assets", folder.path])
            }
            defer { process.kill() }
            let client = TestClient(base: try #require(try await process.nextLine()))
            let piece = letters(8 << 20), count = 32
            var digest = Crypto.SHA256()
            for number in 0..<count { digest.update(data: [UInt8(number)] + piece.dropFirst()) }
            let checksum = AssetChecksum(digest.finalize())
            _ = try await GivenUpload(client, content).patch(content, at: 0).asset()
            let before = try process.memory()
            let size = Int64(count * piece.count)
            let upload = try await GivenUpload(client, checksum: checksum.wire, size: size)
            for number in 0..<count - 1 {
                let answer = try await upload.patch([UInt8(number)] + piece.dropFirst(), at: number * piece.count)
                #expect(answer.status == 204, "\(answer.text)")
            }
            let last = count - 1
            let asset = try await upload.patch([UInt8(last)] + piece.dropFirst(), at: last * piece.count).asset()
            #expect(asset.size == size && asset.fileChecksum == checksum.wire)
            let growth = try process.memory() - before
            print("counted: an asset of 256 MB in pieces, memory grew by \(growth >> 20) MB")
            #expect(growth <= 64 << 20)
        }
    }
}
