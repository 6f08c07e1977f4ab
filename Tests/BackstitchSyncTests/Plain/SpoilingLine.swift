import BackstitchSimulator
import BackstitchSupport
import BackstitchTestKit
import CloudWire

@testable import BackstitchSync

/// Carries requests to a server, and spoils a third of its answers.
final class SpoilingLine: Transport {
    struct State: Sendable {
        var random: SeededGenerator
        var isSpoiling = true
        var requests = 0
        var spoilt = 0
        /// Whether what the server said of pushes may have been a lie.
        var hasLied = false
    }

    let state: Locked<State>
    private let base: any Transport
    /// Whether an answer may claim that another token has replaced the present one.
    private let spoilsTokens: Bool

    init(_ base: any Transport, seed: UInt64, spoilsTokens: Bool) {
        (self.base, self.spoilsTokens) = (base, spoilsTokens)
        state = Locked(State(random: SeededGenerator(seed: seed)))
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        var response = try await base.send(request)
        return try state.withLock { state in
            state.requests += 1
            guard state.isSpoiling, Int.random(in: 0..<3, using: &state.random) == 0 else { return response }
            state.spoilt += 1
            if request.url.contains("/records/") { state.hasLied = true }
            if Int.random(in: 0..<20, using: &state.random) == 0 {
                throw TransportError(.unreachable, "the connection broke")
            }
            Spoiler.spoil(&response, &state.random)
            if !spoilsTokens {
                response.headers.removeAll { $0.name == WireHeader.rotatedToken && $0.value.first != "\0" }
            }
            return response
        }
    }
}

/// The way to a plain server in this process.
struct PlainLine: Transport {
    let server: PlainServer

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let answer = server.answer(.init(request.method, request.url, body: request.body))
        return TransportResponse(status: answer.status, headers: answer.headers, body: answer.body)
    }
}
