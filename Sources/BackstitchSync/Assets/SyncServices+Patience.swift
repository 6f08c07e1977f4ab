import Backstitch
import CloudWire

// Bytes of thousands of assets are as many requests, which may be more than a user may make in that time. A push that
// failed for that would send all of them again: so each request waits as long as the server says.
extension SyncServices {
    /// Milliseconds that a request waits at a time. A server that asks for more ends the cycle, and is asked again
    /// later.
    private static let longestWait: Int64 = 10_000
    /// How often a request waits. Others that wait along may come before it.
    private static let mostWaits = 60

    /// Asks for bytes, or sends some, as often as the server answers that this was too fast.
    func patiently(_ ask: () async throws -> TransportResponse) async throws -> TransportResponse {
        for _ in 0..<Self.mostWaits {
            let response = try await ask()
            guard let wait = client.throttle(of: response), wait <= Self.longestWait else { return response }
            try await clock.sleep(milliseconds: wait)
        }
        return try await ask()
    }

    /// Asks something that goes with bytes, likewise.
    func patiently<Answer>(_ ask: () async throws -> Answer) async throws -> Answer {
        for _ in 0..<Self.mostWaits {
            do { return try await ask() } catch let failure as SyncFailure {
                guard (failure.error.cause as? WireError)?.code == .throttled,
                    case let wait = failure.retryAfter ?? 1_000, wait <= Self.longestWait
                else { throw failure }
                try await clock.sleep(milliseconds: wait)
            }
        }
        return try await ask()
    }
}

extension CloudClient {
    /// Milliseconds to wait after an answer that says that this was too fast; nil for another answer.
    fileprivate func throttle(of response: TransportResponse) -> Int64? {
        guard response.status == 429 else { return nil }
        return failure(of: response, .assetsUpload).retryAfter ?? 1_000
    }
}
