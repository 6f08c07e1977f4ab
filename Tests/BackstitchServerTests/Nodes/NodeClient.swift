import AsyncHTTPClient
import BackstitchTestKit
import CloudWire
import Foundation
import NIOCore
import NIOHTTP1
import TestSupport

/// A program that sends each request to any of the nodes, and again to another one if it gets no answer.
struct NodeClient: Sendable {
    private let nodes: NodeGroup
    private var generator: SeededGenerator
    /// How often something was sent again.
    private(set) var repeats = 0

    /// A request without an answer for this time, and this number of tries, is given up, and the test fails. On a busy
    /// machine a minute may pass within a single try, which proves nothing.
    private static let patience = Duration.seconds(60), fewestTries = 100

    init(_ nodes: NodeGroup, seed: UInt64) {
        self.nodes = nodes
        generator = SeededGenerator(seed: seed)
    }

    /// Sends a request until it is answered. Throws an answer that blames the request itself.
    @discardableResult
    mutating func send<Answer: Sendable>(_ request: (TestClient) async throws -> Answer) async throws -> Answer {
        let clock = ContinuousClock(), limit = clock.now + Self.patience
        var tries = 0
        while true {
            tries += 1
            let ports = nodes.ports
            do {
                guard let port = ports.randomElement(using: &generator) else { throw NobodyLives() }
                return try await request(TestClient(base: "http://127.0.0.1:\(port)").extended())
            } catch  where Self.mayPass(error) && (clock.now < limit || tries < Self.fewestTries) {
                repeats += 1
                try await Task.sleep(for: .milliseconds(Int.random(in: 5...60, using: &generator)))
            }
        }
    }

    private struct NobodyLives: Error {}

    /// Whether another node, or the same one later, may answer differently. A broken connection may be that of a killed
    /// node.
    private static func mayPass(_ error: any Error) -> Bool {
        if let error = error as? WireError {
            return error.code == .tryAgainLater || error.code == .throttled
        }
        // The last one is of a library that these tests do not see.
        return error is NobodyLives || error is HTTPClientError || error is IOError || error is ChannelError
            || error as? HTTPParserError == .invalidEOFState
            || String(describing: type(of: error)) == "NIOConnectionError"
    }
}
