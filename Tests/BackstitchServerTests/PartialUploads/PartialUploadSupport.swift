import BackstitchSupport
import CloudWire
import Foundation
import NIOHTTP1
import TestSupport
import Testing

@testable import BackstitchServer

/// An address for a resumable upload, with its requests.
struct GivenUpload: Sendable {
    let client: TestClient
    let url: String

    /// Asks for an address for content, as the user of the client.
    init(_ client: TestClient, _ content: [UInt8], field: String = "file") async throws {
        try await self.init(
            client, checksum: AssetChecksum(contentOf: content).wire, size: Int64(content.count), field: field)
    }

    init(_ client: TestClient, checksum: String?, size: Int64?, field: String = "file") async throws {
        let token = AssetUploadRequest.Token(
            recordName: "A", recordType: "Item", fieldName: field, fileChecksum: checksum, size: size)
        let answer: AssetUploadResponse = try await client.call(.assetsUpload, AssetUploadRequest(tokens: [token]))
        if let error = answer.tokens[0].error { throw error }
        self.client = client
        url = answer.tokens[0].url
    }

    /// How much the server says that it has.
    func offset() async throws -> Int? {
        let answer = try await client.send(url, method: .HEAD)
        guard answer.status == 200 else { throw TestFailure("HEAD is answered with \(answer.status)") }
        return answer.offset
    }

    func patch(_ bytes: some Sequence<UInt8>, at offset: Int) async throws -> TestAnswer {
        try await client.send(
            url, method: .PATCH, headers: [WireHeader.uploadOffset: String(offset)], body: Array(bytes))
    }

    /// A connection with a begun PATCH. The rest of its body is still missing.
    func begin(_ text: some StringProtocol, at offset: Int, of length: Int) async throws -> RawConnection {
        let connection = try RawConnection(client.base)
        try await connection.send(
            "PATCH \(url.dropFirst(client.base.count)) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                + "Upload-Offset: \(offset)\r\nContent-Length: \(length)\r\n\r\n" + text)
        return connection
    }

    /// Sends the rest of content from the server's offset, once the server has noticed the end of the previous request.
    func finish(_ content: [UInt8]) async throws -> TestAnswer {
        var answer: TestAnswer?
        let isOver = try await eventually {
            let offset = try await offset() ?? 0
            answer = try await patch(content[offset...], at: offset)
            return answer?.status != 409
        }
        guard isOver, let answer else { throw TestFailure("the file is still in use") }
        return answer
    }
}

extension TestAnswer {
    /// The header `Upload-Offset`.
    var offset: Int? { headers[WireHeader.uploadOffset].first.flatMap(Int.init) }

    /// The value for a record's field.
    ///
    /// - Throws: when the answer is another one.
    func asset() throws -> WireAsset {
        guard status == 200 else { throw TestFailure("\(status) \(text)") }
        return try AssetUploadReceipt(wireJSON: body).singleFile
    }
}

extension TestClient {
    /// Saves a record with an uploaded asset, and gives the bytes that are read back.
    func readBack(_ asset: WireAsset, in record: String = "A") async throws -> [UInt8] {
        let saved = try await save(.forceReplace, record, ["file": .asset(asset)], zone: nil)
        guard case .asset(let read)? = saved.value("file"), let url = read.downloadURL else {
            throw TestFailure("no asset: \(saved)")
        }
        return try await send(url, method: .GET).body
    }
}

extension ZoneServer {
    /// The files with partial content, below their folder.
    func partials() throws -> [String] {
        let folder = try working.context.storage.assets.partials.path
        return try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.contains("/") }
    }
}

/// Letters that no part of repeats.
func letters(_ count: Int, seed: Int = 0) -> [UInt8] {
    (0..<count).map { UInt8(ascii: "a") + UInt8(($0 &* 7 &+ ($0 >> 8) &* 3 &+ seed) % 26) }
}
