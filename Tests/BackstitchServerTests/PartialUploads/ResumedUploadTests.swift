import Backstitch
import BackstitchSupport
import BackstitchTestKit
import CloudWire
import Foundation
import NIOHTTP1
import TestSupport
import Testing

@testable import BackstitchServer

/// Uploads that break off and go on.
@Suite("uploads that go on") struct ResumedUploadTests {
    private let content = letters(300_000)

    @Test("an upload whose connection broke goes on from the bytes that came", arguments: StorageKind.allCases)
    func brokenConnection(_ kind: StorageKind) async throws {
        try await withServer(on: kind) { client, server in
            let upload = try await GivenUpload(client, content)
            #expect(try await upload.offset() == 0)
            let sent = String(decoding: content[..<100_000], as: UTF8.self)
            let connection = try await upload.begin(sent, at: 0, of: content.count)
            #expect(try await eventually { try await upload.offset() == 100_000 })
            connection.end()
            let answer = try await upload.finish(content)
            let asset = try answer.asset()
            #expect(asset.size == 300_000 && asset.fileChecksum == AssetChecksum(contentOf: content).wire)
            #expect(try await client.readBack(asset) == content)
            #expect(try server.partials().isEmpty)
        }
    }

    @Test("piece after piece is taken, each answer tells how much is there, and HEAD how much there will be")
    func pieces() async throws {
        try await withServer { client, _ in
            let upload = try await GivenUpload(client, content)
            for offset in stride(from: 0, to: 250_000, by: 50_000) {
                let answer = try await upload.patch(content[offset..<offset + 50_000], at: offset)
                #expect(answer.status == 204 && answer.body.isEmpty && answer.offset == offset + 50_000)
                let head = try await client.send(upload.url, method: .HEAD)
                #expect(head.offset == offset + 50_000 && head.headers[WireHeader.uploadLength] == ["300000"])
            }
            let nothing = try await upload.patch([], at: 250_000)
            #expect(nothing.status == 204 && nothing.offset == 250_000)
            let asset = try await upload.patch(content[250_000...], at: 250_000).asset()
            #expect(try await client.readBack(asset) == content)
        }
    }

    @Test("bytes for another place than the next are refused, and the answer tells the next")
    func otherPlace() async throws {
        try await withServer { client, server in
            let upload = try await GivenUpload(client, content)
            #expect(try await upload.patch([1], at: 5).offset == 0)
            #expect(try server.partials().isEmpty)
            _ = try await upload.patch(content[..<100], at: 0)
            for offset in [0, 50, 101, 300_000] {
                let answer = try await upload.patch([1], at: offset)
                #expect(answer.status == 409 && answer.offset == 100)
                #expect(try WireError(wireJSON: answer.body).code == .conflict)
            }
            for headers in [[:], ["Upload-Offset": "-1"], ["Upload-Offset": "many"], ["Upload-Offset": ""]] {
                let answer = try await client.send(
                    upload.url, method: .PATCH, headers: HTTPHeaders(headers.map { ($0.key, $0.value) }), body: [1])
                #expect(answer.status == 400)
            }
            #expect(try await client.readBack(upload.patch(content[100...], at: 100).asset()) == content)
        }
    }

    @Test("bytes that are others than were announced are refused when all are there, and the upload begins again")
    func otherContent() async throws {
        try await withServer { client, server in
            let upload = try await GivenUpload(client, content)
            _ = try await upload.patch(content[..<100], at: 0)
            let answer = try await upload.patch(content[..<299_900], at: 100)
            #expect(answer.status == 400 && answer.offset == 0 && answer.text.contains("begin again"))
            #expect(try WireError(wireJSON: answer.body).code == .badRequest)
            #expect(try await upload.offset() == 0)
            #expect(try server.partials().isEmpty)
            #expect(try await client.readBack(upload.patch(content, at: 0).asset()) == content)
        }
    }

    @Test("bytes beyond the announced ones are refused, and nothing of them is kept")
    func tooMuch() async throws {
        try await withServer { client, _ in
            let content = Array(content[..<100]), more = letters(101)
            let upload = try await GivenUpload(client, content)
            let answer = try await upload.patch(more, at: 0)
            #expect(try WireError(wireJSON: answer.body).isLimitExceeded)
            #expect(try await upload.offset() == 0)
            let connection = try RawConnection(client.base)
            defer { connection.end() }
            let chunk = "3c\r\n" + String(decoding: content[..<60], as: UTF8.self) + "\r\n"
            try await connection.send(
                "PATCH \(upload.url.dropFirst(client.base.count)) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                    + "Upload-Offset: 0\r\nTransfer-Encoding: chunked\r\n\r\n\(chunk)\(chunk)0\r\n\r\n")
            #expect(try await connection.readToEnd(within: 60).contains("limit exceeded"))
            #expect([0, 60].contains(try await upload.offset()))
            #expect(try await client.readBack(upload.finish(content).asset()) == content)
        }
    }

    @Test("an empty file is whole with nothing")
    func empty() async throws {
        try await withServer { client, _ in
            let upload = try await GivenUpload(client, [])
            #expect(try await upload.offset() == 0)
            #expect(try await client.readBack(upload.patch([], at: 0).asset()) == [])
        }
    }

    @Test("another address for the same content goes on with it, also when the first has run out")
    func otherAddress() async throws {
        let clock = VirtualClock()
        try await withServer({ $0.clock = clock }) { client, server in
            let first = try await GivenUpload(client, content)
            _ = try await first.patch(content[..<100], at: 0)
            clock.advance(by: 16 * 60_000)
            try await server.cleanUp()
            #expect(try await client.send(first.url, method: .HEAD).status == 404)
            #expect(try await first.patch(content[100...], at: 100).status == 404)
            let second = try await GivenUpload(client, content, field: "other")
            #expect(try await second.offset() == 100)
            let asset = try await second.patch(content[100...], at: 100).asset()
            let saved = try await client.save("B", ["other": .asset(asset)], zone: nil)
            #expect(saved.value("other") != nil)
        }
    }

    @Test("another user, and another container, has nothing of it", arguments: StorageKind.allCases)
    func others(_ kind: StorageKind) async throws {
        try await withServer(on: kind) { client, server in
            let alice = client.user("alice"), bob = client.user("bob")
            var elsewhere = alice
            elsewhere.container = "iCloud.elsewhere"
            let hers = try await GivenUpload(alice, content)
            _ = try await hers.patch(content[..<100], at: 0)
            for other in [bob, elsewhere] {
                let upload = try await GivenUpload(other, content)
                #expect(try await upload.offset() == 0)
                #expect(try await upload.patch(content[100...], at: 100).offset == 0)
                #expect(try await other.readBack(upload.patch(content, at: 0).asset()) == content)
                #expect(try await hers.offset() == 100)
            }
            #expect(try server.partials().count == 1)
            #expect(try await alice.readBack(hers.patch(content[100...], at: 100).asset()) == content)
        }
    }

    @Test("a server that starts again has what had come", arguments: StorageKind.allCases)
    func restart(_ kind: StorageKind) async throws {
        try await kind.withPlace { place in
            let first = try await withServer({ $0.storage = place }) { client, _ in
                let upload = try await GivenUpload(client, content)
                _ = try await upload.patch(content[..<1000], at: 0)
                return upload
            }
            try await withServer({ $0.storage = place }) { client, server in
                try await server.cleanUp()
                let upload = try await GivenUpload(client, content)
                #expect(upload.url != first.url)
                #expect(try await upload.offset() == 1000)
                #expect(try await client.readBack(upload.patch(content[1000...], at: 1000).asset()) == content)
            }
        }
    }

    @Test("another server of the same folder goes on with what has come")
    func otherServer() async throws {
        try await withServer(on: .postgreSQL) { first, firstServer in
            try await withServer({ $0.storage = firstServer.configuration.storage }) { second, _ in
                _ = try await GivenUpload(first, content).patch(content[..<1000], at: 0)
                let upload = try await GivenUpload(second, content)
                #expect(try await upload.offset() == 1000)
                #expect(try await second.readBack(upload.patch(content[1000...], at: 1000).asset()) == content)
            }
        }
    }

    @Test("two requests never append to one file at a time: the second is told to ask again")
    func atOnce() async throws {
        try await withServer { client, _ in
            let upload = try await GivenUpload(client, content)
            let sent = String(decoding: content[..<1000], as: UTF8.self)
            let slow = try await upload.begin(sent, at: 0, of: 2000)
            defer { slow.end() }
            #expect(try await eventually { try await upload.offset() == 1000 })
            let second = try await upload.patch(content[1000...], at: 1000)
            #expect(second.status == 409 && second.offset == 1000)
            #expect(try WireError(wireJSON: second.body).retryAfter != nil)
            try await slow.send(String(decoding: content[1000..<2000], as: UTF8.self))
            #expect(try await slow.readToEnd(within: 60).hasPrefix("HTTP/1.1 204"))
            #expect(try await client.readBack(upload.finish(content).asset()) == content)
        }
    }

    @Test("a client that has not heard that its file is whole is told again, while the content is there")
    func lostAnswer() async throws {
        let clock = VirtualClock()
        try await withServer({ $0.clock = clock }) { client, server in
            let upload = try await GivenUpload(client, content)
            let asset = try await upload.patch(content, at: 0).asset()
            #expect(try await upload.offset() == content.count)
            clock.advance(by: 10 * 60_000)
            let again = try await upload.patch([], at: content.count).asset()
            #expect(again.fileChecksum == asset.fileChecksum && again.size == asset.size)
            #expect(try await GivenUpload(client.user("bob"), content).offset() == 0)
            // It counts from the second time.
            clock.advance(by: 10 * 60_000)
            try await server.cleanUp()
            #expect(try await client.readBack(again) == content)
            try await client.save(.forceDelete, "A", zone: nil)
            clock.advance(by: 20 * 60_000)
            try await server.cleanUp()
            let later = try await GivenUpload(client, content)
            #expect(try await later.offset() == 0)
            #expect(try await later.patch([], at: content.count).offset == 0)
            #expect(try await client.readBack(later.patch(content, at: 0).asset()) == content)
        }
    }

    @Test("a whole file that could not be put in its place is kept, and is taken when it can be")
    func noPlace() async throws {
        try await withFolder { folder in
            try await withServer({ $0.storage = .directory(folder) }) { client, server in
                try await client.save("first", zone: nil)
                let upload = try await GivenUpload(client, content)
                let obstacle = folder.appending(path: "assets/1")
                try Data().write(to: obstacle)
                #expect(try await upload.patch(content, at: 0).status == 500)
                #expect(try await upload.offset() == content.count)
                try FileManager.default.removeItem(at: obstacle)
                #expect(try await client.readBack(upload.patch([], at: content.count).asset()) == content)
                #expect(try server.partials().isEmpty)
            }
        }
    }
}
