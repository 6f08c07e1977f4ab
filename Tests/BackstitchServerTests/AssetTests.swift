import Backstitch
import BackstitchSupport
import BackstitchTestKit
import CloudWire
import Crypto
import Foundation
import NIOHTTP1
import Synchronization
import TestSupport
import Testing

@testable import BackstitchServer

@Suite struct AssetTests {
    private func address(_ client: TestClient, field: String = "file") async throws -> String {
        let answer: AssetUploadResponse = try await client.call(
            .assetsUpload,
            AssetUploadRequest(
                zoneID: TestClient.zone, tokens: [.init(recordName: "A", recordType: "Item", fieldName: field)]))
        #expect(answer.tokens[0].recordName == "A")
        #expect(answer.tokens[0].fieldName == field)
        return answer.tokens[0].url
    }

    private func upload(
        _ client: TestClient, _ content: [UInt8], field: String = "file"
    ) async throws -> WireAsset {
        let answer = try await client.send(try await address(client, field: field), body: content)
        #expect(answer.status == 200, "\(answer.text)")
        return try AssetUploadReceipt(wireJSON: answer.body).singleFile
    }

    private func asset(_ result: RecordResult, _ field: String = "file") throws -> WireAsset {
        guard case .asset(let asset)? = try result.record().value(field) else {
            throw TestFailure("no asset: \(result)")
        }
        return asset
    }

    private let content = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }

    @Test("an upload that cannot be put in its place leaves no file behind")
    func noPlace() async throws {
        try await withFolder { folder in
            try await withServer({ $0.storage = .directory(folder) }) { client, _ in
                try await client.makeZone()
                let url = try await address(client)
                // Where the folder of the tenant belongs.
                try Data().write(to: folder.appendingPathComponent("assets/1"))
                #expect(try await client.send(url, body: content).status == 500)
                #expect(
                    try FileManager.default.contentsOfDirectory(
                        atPath: folder.appendingPathComponent("assets/incoming").path
                    ).isEmpty)
                try FileManager.default.removeItem(at: folder.appendingPathComponent("assets/1"))
                #expect(try await client.send(try await address(client), body: content).status == 200)
            }
        }
    }

    @Test("an asset whose file is missing is not found, and no failure of the server")
    func missingFile() async throws {
        try await withFolder { folder in
            try await withServer({ $0.storage = .directory(folder) }) { client, _ in
                try await client.makeZone()
                let uploaded = try await upload(client, content)
                let saved = try asset(try await client.modify([create("A", ["file": .asset(uploaded)])])[0])
                let url = try #require(saved.downloadURL)
                let files = FileManager.default.enumerator(atPath: folder.appendingPathComponent("assets/1").path)
                while let name = files?.nextObject() as? String {
                    guard name.contains("/") else { continue }
                    try FileManager.default.removeItem(at: folder.appendingPathComponent("assets/1/\(name)"))
                }
                for method in [HTTPMethod.GET, .HEAD] {
                    #expect(try await client.send(url, method: method).status == 404, "\(method)")
                }
                let answer = try await client.send(url, method: .GET)
                #expect(try WireError(wireJSON: answer.body).code == .notFound)
            }
        }
    }

    @Test(
        "the size of an asset is that of its bytes, whatever is said when it is sent again",
        arguments: [Int64.max, -1, 0])
    func saidSize(_ size: Int64) async throws {
        try await withServer { client, _ in
            try await client.makeZone()
            let uploaded = try await upload(client, content)
            var asset = try asset(try await client.modify([create("A", ["file": .asset(uploaded)])])[0])
            asset.size = size
            for kind in [RecordOperation.Kind.forceUpdate, .forceReplace] {
                let answer = try await client.modify([operation(kind, "A", ["file": .asset(asset)])])
                #expect(try self.asset(answer[0]).size == Int64(content.count))
                #expect(try self.asset(try await client.lookup(["A"])[0]).size == Int64(content.count))
            }
        }
    }

    @Test("bytes are uploaded, bound to a record, and read back whole and in part")
    func roundTrip() async throws {
        try await withServer { client, _ in
            try await client.makeZone()
            let uploaded = try await upload(client, content)
            #expect(uploaded.size == Int64(content.count))
            let digest = Data([1]) + Data(Crypto.SHA256.hash(data: Data(content)).prefix(20))
            #expect(uploaded.fileChecksum == digest.base64EncodedString())
            let saved = try asset(try await client.modify([create("A", ["file": .asset(uploaded)])])[0])
            #expect(saved.receipt == nil)
            for result in [try await client.lookup(["A"])[0], .record(try await client.follow().records[0])] {
                let read = try asset(result)
                #expect(read.fileChecksum == uploaded.fileChecksum)
                let url = try #require(read.downloadURL)
                let whole = try await client.send(url, method: .GET)
                #expect(whole.status == 200)
                #expect(whole.body == content)
                #expect(whole.headers["X-Content-Type-Options"] == ["nosniff"])
                #expect(whole.headers["Content-Disposition"] == ["attachment"])
            }
            let url = try #require(saved.downloadURL)
            let ranges: [(String, ClosedRange<Int>)] = [
                ("bytes=0-0", 0...0), ("bytes=100-299", 100...299), ("bytes=299990-", 299_990...299_999),
                ("bytes=-5", 299_995...299_999), ("bytes=299999-400000", 299_999...299_999),
            ]
            for (header, range) in ranges {
                let part = try await client.send(url, method: .GET, headers: ["Range": header])
                #expect(part.status == 206)
                #expect(part.body == Array(content[range]))
                #expect(part.headers["Content-Range"] == ["bytes \(range.lowerBound)-\(range.upperBound)/300000"])
            }
            let beyond = try await client.send(url, method: .GET, headers: ["Range": "bytes=300000-"])
            #expect(beyond.status == 416)
            let head = try await client.send(url, method: .HEAD)
            #expect(head.status == 200)
            #expect(head.headers["Content-Length"] == ["300000"])
        }
    }

    @Test("a form is unwrapped, whatever the file part is called", arguments: ["files", "file", "other"])
    func form(_ name: String) async throws {
        try await withServer { client, _ in
            try await client.makeZone()
            let boundary = "----b0undary"
            let awkward = Array("\r\n--\(boundary.dropLast())\r\n\r\n--".utf8) + content.prefix(1000)
            let body =
                Array("--\(boundary)\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\nhello\r\n".utf8)
                + Array(
                    "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"; filename=\"file.file\"\r\nContent-Type: image/png\r\n\r\n"
                        .utf8)
                + awkward + Array("\r\n--\(boundary)--\r\n".utf8)
            let answer = try await client.send(
                try await address(client), headers: ["Content-Type": "multipart/form-data; boundary=\(boundary)"],
                body: body)
            let uploaded = try AssetUploadReceipt(wireJSON: answer.body).singleFile
            let saved = try asset(try await client.modify([create("A", ["file": .asset(uploaded)])])[0])
            let read = try await client.send(try #require(saved.downloadURL), method: .GET)
            #expect(read.body == awkward)
        }
    }

    @Test("a form without a file, or cut off, is refused")
    func badForm() async throws {
        try await withServer { client, _ in
            try await client.makeZone()
            let head = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"x\"\r\n\r\n"
            for body in [
                "", "--b--", "--b\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\nx\r\n--b--\r\n", head + "abc",
                head,
            ] {
                let answer = try await client.send(
                    try await address(client), headers: ["Content-Type": "multipart/form-data; boundary=b"],
                    body: Array(body.utf8))
                #expect(answer.status == 400, "\(body)")
            }
            let none = try await client.send(
                try await address(client), headers: ["Content-Type": "multipart/form-data"], body: [1])
            #expect(none.status == 400)
        }
    }

    @Test("a receipt is for its asset, field and user; anything else is refused and nothing is stored")
    func receipts() async throws {
        try await withServer { client, _ in
            let alice = client.user("alice"), bob = client.user("bob")
            try await alice.makeZone()
            try await bob.makeZone()
            let good = try await upload(alice, content)
            var bare = good, forged = good, otherSize = good, otherSum = good, garbage = good
            bare.receipt = nil
            forged.receipt = "AAAAAAAAAAAAAAAAAAAAAAAA"
            otherSize.size += 1
            otherSum.fileChecksum = AssetChecksum(bytes: [1] + Array(repeating: 7, count: 20)).wire
            garbage.fileChecksum = "??"
            for bad in [bare, forged, otherSize, otherSum, garbage] {
                let result = try await alice.modify([create("A", ["file": .asset(bad)])])[0]
                #expect(result.error?.code == .badRequest)
            }
            #expect(try await alice.modify([create("A", ["other": .asset(good)])])[0].error?.code == .badRequest)
            #expect(try await bob.modify([create("A", ["file": .asset(good)])])[0].error?.code == .badRequest)
            #expect(try await alice.modify([create("A", ["file": .asset(good)])])[0].error == nil)
        }
    }

    @Test("an asset that is sent back unchanged, or left out, is kept")
    func echo() async throws {
        try await withServer { client, _ in
            try await client.makeZone()
            let uploaded = try await upload(client, content)
            let made = try await client.modify([create("A", ["file": .asset(uploaded)])])[0]
            let echoed = try await client.save(.forceReplace, "A", ["file": .asset(try asset(made))])
            #expect(try asset(.record(echoed)).fileChecksum == uploaded.fileChecksum)
            let kept = try await client.save(.forceUpdate, "A", ["n": .int64(1)])
            #expect(try asset(.record(kept)).fileChecksum == uploaded.fileChecksum)
            let stolen = try await client.modify([create("B", ["file": .asset(try asset(made))])])[0]
            #expect(stolen.error?.code == .badRequest)
        }
    }

    @Test("content goes when its last record goes, and uploads that nobody claims go after 15 minutes")
    func collection() async throws {
        let clock = VirtualClock()
        try await withFolder { folder in
            try await withServer({
                $0.clock = clock
                $0.storage = .directory(folder)
            }) { client, server in
                func files() throws -> Int {
                    let found = FileManager.default.enumerator(atPath: folder.appendingPathComponent("assets").path)
                    return found?.compactMap { $0 as? String }.filter { $0.split(separator: "/").last?.count == 42 }
                        .count ?? 0
                }
                try await client.makeZone()
                let shared = try await upload(client, content)
                let unclaimed = try await upload(client, [1, 2, 3])
                try await client.modify([create("A", ["file": .asset(shared)]), create("B", ["file": .asset(shared)])])
                #expect(try files() == 2)
                clock.advance(by: 14 * 60 * 1_000)
                try await server.cleanUp()
                #expect(try files() == 2)
                clock.advance(by: 2 * 60 * 1_000)
                try await server.cleanUp()
                #expect(try files() == 1)
                let late = try await client.modify([create("C", ["file": .asset(unclaimed)])])[0]
                #expect(late.error?.code == .tryAgainLater)
                try await client.save(.forceDelete, "A")
                try await server.cleanUp()
                #expect(try files() == 1)
                try await client.save(.forceUpdate, "B", ["file": nil])
                try await server.cleanUp()
                #expect(try files() == 0)
            }
        }
    }

    @Test("content is not collected while the same content comes again")
    func collectedAtOnce() async throws {
        let clock = VirtualClock()
        try await withFolder { folder in
            try await withServer({
                $0.clock = clock
                $0.storage = .directory(folder)
            }) { client, server in
                try await client.makeZone()
                try await client.collectWhileItComes(content, rounds: 20, server, clock)
            }
        }
    }

    @Test("addresses hold for their time, and altered ones are nobody's")
    func addresses() async throws {
        let clock = VirtualClock()
        try await withServer({ $0.clock = clock }) { client, _ in
            try await client.makeZone()
            let uploadAddress = try await address(client)
            let uploaded = try await upload(client, content)
            let url = try #require(
                try asset(try await client.modify([create("A", ["file": .asset(uploaded)])])[0]).downloadURL)
            for altered in [
                url.replacingOccurrences(of: "expires=1", with: "expires=2"),
                url.replacingOccurrences(of: "mark=", with: "mark=x"),
                String(url.prefix { $0 != "?" }), url.replacingOccurrences(of: "/download/1/", with: "/download/2/"),
                url.replacingOccurrences(of: "/download/1/", with: "/download/../"),
            ] {
                #expect(try await client.send(altered, method: .GET).status == 404, "\(altered)")
            }
            #expect(try await client.send(uploadAddress + "x", body: [1]).status == 404)
            clock.advance(by: 16 * 60 * 1_000)
            #expect(try await client.send(uploadAddress, body: [1]).status == 404)
            #expect(try await client.send(url, method: .GET).status == 200)
            clock.advance(by: 3600 * 1_000)
            #expect(try await client.send(url, method: .GET).status == 404)
        }
    }

    @Test("an asset that is too large is refused, and leaves nothing behind")
    func tooLarge() async throws {
        try await withServer({ $0.standardLimits.asset = 1000 }) { client, server in
            try await client.makeZone()
            let answer = try await client.send(try await address(client), body: Array(content.prefix(1001)))
            #expect(answer.status == 400)
            #expect(try WireError(wireJSON: answer.body).isLimitExceeded)
            let service = try #require(server.state.withLock { $0.service })
            let incoming = service.context.storage.assets.incoming("")
            #expect(try FileManager.default.contentsOfDirectory(atPath: incoming.path).isEmpty)
            #expect(try await upload(client, Array(content.prefix(1000))).size == 1000)
            #expect(try await upload(client, []).size == 0)
        }
    }

    @Test("an upload that says it is as large as a number can be is refused, and the server goes on")
    func hugeLength() async throws {
        try await withServer { client, _ in
            try await client.makeZone()
            // The user's bytes, to which an overflowing length must not be added.
            try await client.save("A")
            let url = try #require(URL(string: try await address(client)))
            for length in [Int.max, Int.max - 1] {
                let connection = try RawConnection(client.base)
                defer { connection.end() }
                try await connection.send(
                    "POST \(url.path)?\(url.query ?? "") HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                        + "Content-Length: \(length)\r\n\r\n")
                let answer = try await connection.readToEnd(within: 60)
                #expect(answer.hasPrefix("HTTP/1.1 413") && answer.contains("QUOTA_EXCEEDED"), "\(answer)")
            }
            #expect(try await upload(client, content).size == Int64(content.count))
        }
    }

    @Test("lists of assets work as single ones do")
    func lists() async throws {
        try await withServer { client, _ in
            try await client.makeZone()
            let assets = [try await upload(client, [1]), try await upload(client, [2, 2])]
            let made = try await client.save("A", ["file": .assetList(assets)])
            guard case .assetList(let read)? = made.value("file") else { throw TestFailure("no list") }
            #expect(read.map(\.size) == [1, 2])
            #expect(read.allSatisfy { $0.downloadURL != nil && $0.receipt == nil })
            #expect(try await client.send(read[1].downloadURL ?? "", method: .GET).body == [2, 2])
        }
    }
}
