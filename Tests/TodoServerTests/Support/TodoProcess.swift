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
    private let process = Locked<Process?>(nil)
    private let port: Int

    /// Starts the server with its todos at `database`, and returns when it listens. Blocks.
    init(database: String) throws {
        let process = Process(), output = Pipe()
        process.executableURL = Self.executable
        process.environment = ProcessInfo.processInfo.environment
            .merging(["DATABASE_URL": database, "PORT": "0", "HOST": "127.0.0.1", "LOG_LEVEL": "error"]) { $1 }
        process.standardOutput = output
        try process.run()
        var said = Data()
        while !said.contains(UInt8(ascii: "\n")) {
            let data = output.fileHandleForReading.availableData
            if data.isEmpty { throw PostgresServer.Failure("TodoServer ended before it listened") }
            said.append(data)
        }
        let line = String(decoding: said, as: UTF8.self)
        guard let port = line.split(separator: "\n").first?.split(separator: " ").last.flatMap({ Int($0) }) else {
            throw PostgresServer.Failure("TodoServer says \(line)")
        }
        self.port = port
        self.process.withLock { $0 = process }
    }

    deinit { stop() }

    /// Ends it as a service manager does, and gives the status that it ended with.
    @discardableResult
    func stop() -> Int32 {
        process.withLock { process in
            if process?.isRunning == true { process?.terminate() }
            process?.waitUntilExit()
            return process?.terminationStatus ?? 0
        }
    }

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

    private static var executable: URL { TestProgram.location(of: "TodoServer") }
}
