import Backstitch
import BackstitchSupport
import CloudWire
import TestSupport
import Testing

@testable import BackstitchServer

@Suite struct UnitTests {
    @Test("pages hold whole commits: every small feed and limit", arguments: 1...6)
    func pager(_ limit: Int) {
        // All feeds of up to four commits of one to four records.
        for code in 0..<256 {
            let sizes = [code & 3, code >> 2 & 3, code >> 4 & 3, code >> 6 & 3].map { $0 + 1 }
            let feed = sizes.enumerated().flatMap { commit, size in
                (0..<size).map { record("\(commit)-\($0)", sequence: Int64(commit + 1)) }
            }
            var cursor: Int64 = 0
            var seen: [String] = []
            var pages = 0
            while pages < 20 {
                pages += 1
                var pager = FeedPager(
                    FeedQuery(cursor: cursor, limit: limit, bytes: .max, takesLargeCommit: true, reverse: false))
                for record in feed where record.sequence > cursor { if !pager.take(record) { break } }
                let whole = Set(pager.records.map(\.sequence))
                #expect(pager.records.count == whole.reduce(0) { $0 + sizes[Int($1) - 1] })
                #expect(pager.records.count <= limit || whole.count == 1)
                seen += pager.records.map(\.name)
                guard pager.moreComing else { break }
                cursor = pager.records.last?.sequence ?? cursor
            }
            #expect(seen == feed.map(\.name))
        }
    }

    private func record(_ name: String, sequence: Int64) -> StoredRecord {
        StoredRecord(
            name: name, type: "T", sequence: sequence, deleted: false, flags: [], created: 0, createdBy: "",
            createdOn: "2", modified: 0, modifiedBy: "", parent: nil, fields: [])
    }

    @Test("a form gives the same file however its body is cut into pieces", arguments: 1...40)
    func multipart(_ size: Int) throws {
        let content = "line\r\n--not the boundary\r\n\r\n--boundar\r\n-"
        let body = Array(
            "preamble\r\n--boundary\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nskip\r\n--boundary\r\ncontent-disposition: form-data; name=\"file\"\r\n\r\n\(content)\r\n--boundary--\r\nepilogue"
                .utf8)
        var extractor = try #require(MultipartExtractor(contentType: "multipart/form-data; boundary=\"boundary\""))
        var result: [UInt8] = []
        for start in stride(from: 0, to: body.count, by: size) {
            result += try extractor.take(body[start..<min(start + size, body.count)])
        }
        try extractor.finish()
        #expect(String(decoding: result, as: UTF8.self) == content)
    }

    @Test("a form gives the same file wherever its body is cut in two")
    func multipartCut() throws {
        let content = "\r\r\n\r\n--b\r\n--boundar\r\n--boundar\r\n-\r"
        let body = Array(
            "--boundary\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\n\(content)\r\n--boundary--\r\n".utf8)
        for cut in 0...body.count {
            var extractor = try #require(MultipartExtractor(contentType: "multipart/form-data; boundary=boundary"))
            let result = try extractor.take(body[..<cut]) + extractor.take(body[cut...])
            try extractor.finish()
            #expect(String(decoding: result, as: UTF8.self) == content, "cut at \(cut)")
        }
    }

    @Test(
        "the head of a part has 16 KiB at most, however its body is cut into pieces",
        arguments: [(16_384, true), (16_385, false)], [1, 1_000, .max])
    func longHead(_ bound: (length: Int, isTaken: Bool), _ size: Int) throws {
        let (start, end) = ("\r\nA: ", "\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\n")
        let filling = String(repeating: "x", count: bound.length - start.utf8.count - end.utf8.count)
        var rest = Array("--b\(start)\(filling)\(end)content\r\n--b--".utf8)[...]
        var extractor = try #require(MultipartExtractor(contentType: "multipart/form-data; boundary=b"))
        var result: [UInt8] = []
        do {
            while !rest.isEmpty {
                result += try extractor.take(rest.prefix(size))
                rest = rest.dropFirst(size)
            }
            #expect(bound.isTaken)
            #expect(String(decoding: result, as: UTF8.self) == "content")
        } catch {
            #expect(!bound.isTaken)
        }
    }

    @Test("a form costs the same for each byte, also where its pieces have one", arguments: [false, true])
    func multipartCost(ofHeads: Bool) throws {
        func time(_ length: Int) throws -> Duration {
            let file = "Content-Disposition: form-data; name=\"file\"\r\n\r\n"
            let text = String(repeating: "x", count: length)
            let body = Array("--b\r\n\(ofHeads ? "A: \(text)\r\n\(file)" : "\(file)\(text)")\r\n--b--".utf8)
            return try threadTime {
                var extractor = try #require(MultipartExtractor(contentType: "multipart/form-data; boundary=b"))
                var count = 0
                for index in body.indices { count += try extractor.take(body[index...index]).count }
                try extractor.finish()
                #expect(count == (ofHeads ? 0 : length))
            }
        }
        let short = 1_000
        let least = try (0..<7).map { _ in (try time(short), try time(16 * short)) }
        let ratio = (least.map(\.1).min() ?? .zero) / (least.map(\.0).min() ?? .zero)
        print("counted: a form in pieces of one byte, 16 times as long, takes \(ratio) times as long")
        #expect(ratio < 48)
    }

    @Test("a form of more parts than anybody sends is refused", arguments: [(99, true), (100, false), (2_000, false)])
    func manyParts(_ count: Int, isTaken: Bool) throws {
        let file = "\r\n--b\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\ncontent\r\n--b--"
        let body = Array((String(repeating: "\r\n--b\r\n\r\n", count: count) + file).utf8)
        var extractor = try #require(MultipartExtractor(contentType: "multipart/form-data; boundary=b"))
        if isTaken {
            let taken = try extractor.take(body)
            try extractor.finish()
            #expect(String(decoding: taken, as: UTF8.self) == "content")
        } else {
            #expect(throws: MultipartExtractor.Fault.malformed) { _ = try extractor.take(body) }
        }
    }

    @Test(
        "ranges of bytes",
        arguments: [
            (nil, ByteRange.whole), ("bytes=0-4", .part(0...4)), ("bytes=5-", .part(5...9)), ("bytes=-3", .part(7...9)),
            ("bytes=-30", .part(0...9)), ("bytes=9-99", .part(9...9)), ("bytes=10-", .unsatisfiable),
            ("bytes=-0", .unsatisfiable),
            ("bytes=4-2", .whole), ("bytes=a-b", .whole), ("bytes=0-1,3-4", .whole), ("items=0-1", .whole),
            ("bytes=-", .whole),
            ("bytes=99999999999999999999-", .whole),
        ] as [(String?, ByteRange)])
    func ranges(_ header: String?, expected: ByteRange) {
        #expect(ByteRange.read(header, size: 10) == expected)
    }

    @Test("a query keeps its plus signs and its first values")
    func query() throws {
        let query = try #require(QueryString("a=1+2%2B&b=&a=3&c&d=%C3%A9&e==="))
        #expect(query["a"] == "1+2+")
        #expect(query["b"] == "" && query["c"] == "" && query["x"] == nil)
        #expect(query["d"] == "é" && query["e"] == "==")
        for bad in ["a=%", "a=%4", "a=%zz", "a=%ff"] { #expect(QueryString(bad) == nil) }
    }

    @Test("marks are for their purpose and their parts as they were cut")
    func marks() {
        let signer = TokenSigner(secret: [UInt8](repeating: 1, count: 32))
        let mark = signer.mark(.syncToken, [[1, 2], [3]])
        #expect(signer.isGenuine(mark, .syncToken, [[1, 2], [3]]))
        #expect(!signer.isGenuine(mark, .receipt, [[1, 2], [3]]))
        #expect(!signer.isGenuine(mark, .syncToken, [[1], [2, 3]]))
        #expect(!signer.isGenuine(mark, .syncToken, [[1, 2, 3]]))
        #expect(!TokenSigner(secret: [2]).isGenuine(mark, .syncToken, [[1, 2], [3]]))
    }

    @Test("upload tickets come back as they were, and no altered byte passes")
    func tickets() throws {
        let receipts = AssetReceipts(signer: TokenSigner(secret: [7]))
        let upload = AssetReceipts.Upload(
            tenant: "iCloud.x/development", bearer: Bearer(user: "é", credential: "=x"), field: "f", limit: 5,
            expires: 9)
        var announced = upload
        announced.content = .init(checksum: AssetChecksum(contentOf: [1, 2]), size: 2)
        for upload in [upload, announced] {
            let ticket = receipts.ticket(upload)
            #expect(receipts.upload(ticket: ticket) == upload)
            var bytes = try #require([UInt8](base64URL: ticket))
            for index in bytes.indices {
                bytes[index] ^= 1
                #expect(receipts.upload(ticket: bytes.base64URL) == nil)
                bytes[index] ^= 1
            }
        }
        #expect(receipts.upload(ticket: "") == nil)
    }

    @Test("digests of tokens are read from hexadecimal")
    func digests() {
        let digest = TokenDigest(of: "abc")
        #expect(TokenDigest(sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad") == digest)
        #expect(TokenDigest(sha256: "ba78") == nil)
        #expect(TokenDigest(sha256: String(repeating: "x", count: 64)) == nil)
        #expect(!digest.matches(TokenDigest(of: "abd")))
    }

    @Test("a mailbox keeps one notification a subscription, and hints only for strangers")
    func hub() async {
        let hub = PushHub(clock: SystemClock())
        let token = PushTokenKey(tenantID: 1, digest: TokenDigest(of: "t"))
        func note(_ id: String) -> PushNotification {
            PushNotification(
                container: "c", notificationID: id, userRecordName: nil, subscriptionID: id, subject: .database)
        }
        hub.post([note("lost")], to: token)
        #expect(!hub.knows(token))
        hub.open(token, with: [note("hint")])
        hub.open(token, with: [note("second")])
        for id in ["a", "b", "a", "hint"] { hub.post([note(id)], to: token) }
        var order: [String?] = []
        for _ in 0..<4 { order.append(await hub.next(hub.begin(for: token, milliseconds: 0))?.subscriptionID) }
        #expect(order == ["hint", "a", "b", nil])
        // Also where its time is over before it has looked.
        hub.post([note("c")], to: token)
        let late = hub.begin(for: token, milliseconds: 0)
        #expect(hub.endOverdue())
        #expect(await hub.next(late)?.subscriptionID == "c")
        hub.forget(unusedFor: -1)
        #expect(!hub.knows(token))
        hub.open(token, with: [])
        hub.drain()
        #expect(await hub.next(hub.begin(for: token, milliseconds: 60_000)) == nil)
    }

    @Test("tokens, marks and limits of names")
    func names() {
        #expect(RecordRules.fault(inRecordName: "é") == nil)
        #expect(ByteText("\u{E9}") != ByteText("e\u{301}"))
        #expect(ByteText("\u{E9}") == ByteText("\u{E9}"))
        #expect(RecordRules.fault(inRecordName: String(repeating: "é", count: 128)) != nil)
        #expect(RecordRules.fault(inFieldName: "a_1") == nil)
        for bad in ["", "1a", "_a", "a b", "a.b", "é"] { #expect(RecordRules.fault(inFieldName: bad) != nil) }
    }
}
