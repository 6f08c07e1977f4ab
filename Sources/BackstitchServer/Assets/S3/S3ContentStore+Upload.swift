#if TLS
import BackstitchSupport
import Foundation
import Logging
import NIOHTTP1

extension S3ContentStore {
    /// The maximum number of parts of an object in a store.
    private static let mostParts: Int64 = 10_000

    func adopt(_ received: ReceivedFile, as name: AssetName) async throws {
        try await explained {
            if received.size > Int64(configuration.partSize) {
                try await putParts(received, key(name))
            } else {
                try await put(client.request("PUT", key: key(name)), received, 0..<received.size, received.digest)
            }
        }
    }

    /// Sends a stretch of a file, and returns the store's mark for it.
    @discardableResult
    private func put(
        _ request: S3Request, _ received: ReceivedFile, _ range: Range<Int64>, _ digest: [UInt8]
    ) async throws -> String {
        var request = request
        request.headers.append(("content-type", "application/octet-stream"))
        request.digest = digest.hexadecimal
        let pieces = FilePieces(file: received.file, range: range, digest: digest, runner: runner)
        let answer = try await client.perform(request, range.isEmpty ? .text("") : .file(pieces))
        return answer.headers.first(name: "etag") ?? ""
    }

    /// Sends a large file part by part. The object appears only when all parts have arrived, and only if the file is
    /// unchanged.
    private func putParts(_ received: ReceivedFile, _ key: String) async throws {
        let begun = try await client.perform(client.request("POST", key: key, [("uploads", "")]))
        guard let id = begun.document.text("UploadId"), !id.isEmpty else {
            throw S3Failure(.malformed, "the upload of a large file has no id")
        }
        do {
            var whole = SHA256()
            var marks: [String] = []
            for range in parts(of: received.size) {
                let digest = try await FilePieces.digest(of: received.file, range, &whole, runner)
                let part = client.request(
                    "PUT", key: key, [("partNumber", "\(marks.count + 1)"), ("uploadId", id)])
                marks.append(try await put(part, received, range, digest))
            }
            guard whole.finalize() == received.digest else { throw FilePieces.Changed(file: received.file) }
            try await complete(id, marks, received, key)
        } catch {
            await abandon(id, key)
            throw error
        }
    }

    /// The stretches of a file. They have the configured size, or more if there would be too many.
    private func parts(of size: Int64) -> [Range<Int64>] {
        let length = max(Int64(configuration.partSize), (size + Self.mostParts - 1) / Self.mostParts)
        return stride(from: 0, to: size, by: Int64.Stride(length)).map { $0..<min($0 + length, size) }
    }

    /// Joins the parts to an object.
    private func complete(_ id: String, _ marks: [String], _ received: ReceivedFile, _ key: String) async throws {
        let parts = marks.enumerated().map { index, mark in
            "<Part><PartNumber>\(index + 1)</PartNumber><ETag>\(mark.replacing("\"", with: "&quot;"))</ETag></Part>"
        }
        let text =
            "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">\(parts.joined())</CompleteMultipartUpload>"
        var request = client.request("POST", key: key, [("uploadId", id)])
        request.headers = [("content-type", "application/xml")]
        request.digest = SHA256.hash(data: Array(text.utf8)).hexadecimal
        do { try await client.perform(request, .text(text)) } catch let failure as S3Failure
            where failure.has(code: "NoSuchUpload")
        {
            // The answer to an earlier attempt was lost, and the object exists.
            let head = try await client.perform(client.request("HEAD", key: key))
            guard head.headers.first(name: "content-length") == String(received.size) else { throw failure }
        }
    }

    /// Makes the store forget the parts, even if the request was cancelled. If the store cannot be reached, the daily
    /// search finds them later.
    private func abandon(_ id: String, _ key: String) async {
        await Task { [client, logger] in
            do { try await client.perform(client.request("DELETE", key: key, [("uploadId", id)])) } catch {
                logger.info("parts of a refused file stay in the store for a while")
            }
        }.value
    }
}
#endif
