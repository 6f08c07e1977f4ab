#if TLS
import AsyncHTTPClient
import Backstitch
import BackstitchSupport
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1

/// A content store with objects in a bucket: `<prefix>/<tenant>/<two digits>/<checksum>`.
///
/// An upload is a file of this machine until it is complete and its digest is known. Only then is it sent to the
/// bucket, directly under its name. A store shows an object only when it is complete, and checks the signed digest. So
/// the bucket has no drafts to rename, and no wrong content.
struct S3ContentStore: AssetContentStore {
    /// The number of objects removed at the same time.
    private static let removals = 8
    /// The number of further requests for one download without a byte between them.
    private static let resumptions = 3

    let client: S3Client
    let runner: any WorkRunner
    let logger: Logger
    let sweeps = DailySweep()

    var configuration: S3Configuration { client.configuration }

    func place(of name: AssetName) -> String { "s3://\(configuration.bucket)/\(key(name))" }

    func key(_ name: AssetName) -> String { configuration.key(name.path) }

    func has(_ name: AssetName) async throws -> Bool {
        try await explained {
            do { try await client.perform(client.request("HEAD", key: key(name))) } catch let failure as S3Failure
                where failure.isMissingObject
            {
                return false
            }
            return true
        }
    }

    func remove(_ names: [AssetName]) async throws {
        try await explained {
            try await withThrowingTaskGroup(of: S3Failure?.self) { group in
                var refusal: S3Failure?
                for (count, name) in names.enumerated() {
                    if count >= Self.removals, let ended = try await group.next() { refusal = refusal ?? ended }
                    group.addTask { [client, key = key(name)] in
                        do {
                            try await client.perform(client.request("DELETE", key: key))
                            return nil
                        } catch let failure as S3Failure where !failure.mayPass {
                            // If the store refuses one removal, others may succeed. If it cannot be reached, the rest
                            // is not tried.
                            return failure.isMissingObject ? nil : failure
                        }
                    }
                }
                for try await ended in group { refusal = refusal ?? ended }
                if let refusal { throw refusal }
            }
        }
    }

    func body(of name: AssetName, _ range: ClosedRange<Int64>) async throws -> ResponseBody? {
        guard let first = try await explained({ try await open(name, range) }) else { return nil }
        return ResponseBody(contentLength: range.count) { writer in
            try await send(first, range, of: name, to: &writer)
            try await writer.finish(nil)
        }
    }

    /// Sends each piece as it arrives. If the store breaks off, another request continues after the last piece.
    @concurrent private func send(
        _ first: HTTPClientResponse, _ range: ClosedRange<Int64>, of name: AssetName,
        to writer: inout any ResponseBodyWriter
    ) async throws {
        var pieces = first.body.makeAsyncIterator()
        var position = range.lowerBound, failures = 0
        while position <= range.upperBound {
            let piece: ByteBuffer
            do {
                guard let next = try await pieces.next() else { throw S3Failure(.unreachable, "an answer ended early") }
                piece = next
            } catch {
                let failure = try S3Client.failure(of: error)
                failures += 1
                guard failure.mayPass, failures <= Self.resumptions else { throw explained(failure) }
                try await client.pause(afterFailures: failures)
                let rest = position...range.upperBound
                guard let again = try await explained({ try await open(name, rest) }) else { throw explained(failure) }
                pieces = again.body.makeAsyncIterator()
                continue
            }
            position += Int64(piece.readableBytes)
            failures = 0
            try await writer.write(piece)
        }
    }

    /// Opens a range of an object; nil if there is no such object, or if it is too short.
    private func open(_ name: AssetName, _ range: ClosedRange<Int64>) async throws -> HTTPClientResponse? {
        var request = client.request("GET", key: key(name))
        request.headers = [("range", "bytes=\(range.lowerBound)-\(range.upperBound)")]
        let response: HTTPClientResponse
        do { response = try await client.open(request) } catch let failure as S3Failure
            where failure.isMissingObject || failure.has(code: "InvalidRange")
        {
            return nil
        }
        let count = response.headers.first(name: "content-length").flatMap { Int64($0) }
        let isPart = response.status == .partialContent || range.lowerBound == 0
        if isPart, count == Int64(range.count) { return response }
        logger.error(
            "an object has another length than the file that was stored; restore it from a backup",
            metadata: ["content": "\(place(of: name))"])
        return nil
    }

    // MARK: Failures

    /// Runs requests, and turns failures of the store into errors for the log and for clients.
    func explained<Value>(_ work: () async throws -> Value) async throws -> Value {
        do { return try await work() } catch let failure as S3Failure { throw explained(failure) }
    }

    /// The failure with advice for the administrator.
    func explained(_ failure: S3Failure) -> AssetStoreFailure {
        AssetStoreFailure(description: failure.advice(configuration), mayPass: failure.mayPass)
    }
}
#endif
