#if TLS
import AsyncHTTPClient
import Backstitch
import BackstitchSupport
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1

/// Keeps content as objects of a bucket: `<prefix>/<tenant>/<two digits>/<checksum>`.
///
/// An upload is a file of this machine until it is whole and its digest known; only then it goes to the bucket, at once
/// under its name. Stores show an object when it has come whole, and check the digest that the request is signed with;
/// so there are no drafts in the bucket to be renamed, and nothing wrong has a name.
struct S3ContentStore: AssetContentStore {
    /// Objects that are removed at a time.
    private static let removals = 8
    /// How often a download goes on in another request, one after the other without a byte between them.
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
                            // A store that refuses one may let others go; one that cannot be reached is asked no more.
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

    /// Sends each piece as it comes. When the store breaks off, another request goes on behind the last piece.
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

    /// A range of an object as it begins to come; nil when there is none, or none as long.
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
            "an object is not as long as what was put there; restore it from a backup",
            metadata: ["content": "\(place(of: name))"])
        return nil
    }

    // MARK: Failures

    /// Runs requests, and makes of the store's failures what the server's log and its clients are told.
    func explained<Value>(_ work: () async throws -> Value) async throws -> Value {
        do { return try await work() } catch let failure as S3Failure { throw explained(failure) }
    }

    func explained(_ failure: S3Failure) -> AssetStoreFailure {
        AssetStoreFailure(description: failure.advice(configuration), mayPass: failure.mayPass)
    }
}
#endif
