import BackstitchSupport
import CloudWire
import Crypto
import Foundation
import TestSupport
import Testing

@testable import BackstitchServer

/// One after the other: they share a store.
@Suite("assets in a store of S3", .serialized, .timeLimit(.minutes(5))) enum S3Tests {
    /// Runs a server on a new bucket and a folder of its own.
    static func withBucket<Value>(
        _ change: (inout ZoneServerConfiguration, MotoStore, String) throws -> Void = { configuration, moto, bucket in
            configuration.assets = .s3(moto.configuration(bucket))
        },
        _ body: (TestClient, ZoneServer, MotoStore, String) async throws -> Value
    ) async throws -> Value {
        let moto = try await MotoStore.shared
        let bucket = try await moto.bucket()
        return try await withFolder { folder in
            var fault: (any Error)?
            return try await withServer({ configuration in
                configuration.storage = .directory(folder)
                do { try change(&configuration, moto, bucket) } catch { fault = error }
            }) { client, server in
                if let fault { throw fault }
                try await client.makeZone()
                return try await body(client, server, moto, bucket)
            }
        }
    }

    /// Bytes that differ from place to place, and from part to part.
    static func content(_ count: Int) -> [UInt8] {
        var result = (0..<min(count, 4_099)).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        while result.count < count { result += result.prefix(count - result.count) }
        return result
    }

    static func key(_ content: [UInt8], prefix: String = "zones/assets", tenant: Int64 = 1) -> String {
        "\(prefix)/" + AssetName(tenantID: tenant, checksum: AssetChecksum(contentOf: content)).path
    }

    /// Calls `body` with a file as an upload leaves it.
    static func withReceived<Value>(
        _ content: [UInt8], _ body: (ReceivedFile) async throws -> Value
    ) async throws -> Value {
        try await withFolder { folder in
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
            let file = folder.appending(path: "upload")
            try Data(content).write(to: file)
            return try await body(
                ReceivedFile(
                    file: file, digest: Array(Crypto.SHA256.hash(data: content)), size: Int64(content.count)))
        }
    }
}

extension ZoneServer {
    /// The work of a server that runs.
    var working: ZoneService {
        get throws {
            guard let service = state.withLock({ $0.service }) else { throw TestFailure("the server does not run") }
            return service
        }
    }

    /// Files that are on their way to the store, or were left behind.
    func spooledFiles() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: try working.context.storage.assets.incoming("").path)
    }
}

extension TestClient {
    /// Sends content, and gives the server's answer.
    func upload(_ content: [UInt8], zone: String? = "Z") async throws -> TestAnswer {
        let answer: AssetUploadResponse = try await call(
            .assetsUpload,
            AssetUploadRequest(
                zoneID: zone.map { ZoneID(zoneName: $0) },
                tokens: [.init(recordName: "A", recordType: "Item", fieldName: "file")]))
        return try await send(answer.tokens[0].url, body: content)
    }

    /// Saves a record with content, and gives the address to read it from.
    func saveAsset(_ name: String, _ content: [UInt8]) async throws -> String {
        let answer = try await upload(content)
        guard answer.status == 200 else { throw TestFailure(answer.text) }
        let uploaded = try AssetUploadReceipt(wireJSON: answer.body).singleFile
        let saved = try await save(name, ["file": .asset(uploaded)])
        guard case .asset(let asset)? = saved.value("file"), let url = asset.downloadURL else {
            throw TestFailure("no asset: \(saved)")
        }
        return url
    }
}
