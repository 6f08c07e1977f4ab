import AsyncHTTPClient
import Backstitch
import BackstitchTestKit
import Foundation
import NIOCore
import NIOHTTP1
import TestSupport

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The program `TodoServer` as a process of its own, on a port that the system chose.
final class TodoProcess: Sendable {
    private let process: TestProcess
    private let port: Int

    /// Starts the server with its todos at `database`, and returns when it listens. Blocks.
    init(database: String) throws {
        process = try TestProcess(
            "TodoServer",
            environment: ["DATABASE_URL": database, "PORT": "0", "HOST": "127.0.0.1", "LOG_LEVEL": "error"])
        let line = process.readLine() ?? "nothing, and has ended"
        guard let port = line.split(separator: " ").last.flatMap({ Int($0) }) else {
            throw TestFailure("TodoServer says \(line)")
        }
        self.port = port
    }

    deinit { stop() }

    /// Ends it as a service manager does, and gives the status that it ended with.
    @discardableResult
    func stop() -> Int32 { process.stop() }

    struct Answer {
        let status: UInt
        let body: [UInt8]

        func decoded<Body: Decodable>(as _: Body.Type = Body.self) throws -> Body {
            let decoder = JSONDecoder()
            decoder.dateDecodingStrategy = .iso8601
            return try decoder.decode(Body.self, from: Data(body))
        }
    }

    /// Sends a request, and waits for its answer.
    func send(_ method: String, _ path: String, _ body: String? = nil) async throws -> Answer {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)/\(path)")
        request.method = .init(rawValue: method)
        if let body { request.body = .bytes(ByteBuffer(string: body)) }
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
        let answer = try await response.body.collect(upTo: 1 << 20)
        return Answer(status: response.status.code, body: Array(answer.readableBytesView))
    }
}
