import Backstitch
import CloudWire

// The bytes of thousands of assets need as many requests, perhaps more than a user may make in that time. A push that
// failed for this reason would send all of them again. So each request waits as long as the server asks.
extension SyncServices {
    /// The longest wait of a request, in milliseconds. If the server asks for more, the cycle ends and tries again
    /// later.
    private static let longestWait: Int64 = 10_000
    /// The most waits of a request. Other waiting requests may be served before it.
    private static let mostWaits = 60

    /// Requests or sends bytes, and repeats the request when the server answers that it was too fast.
    func patiently(_ ask: () async throws -> TransportResponse) async throws -> TransportResponse {
        for _ in 0..<Self.mostWaits {
            let response = try await ask()
            guard let wait = client.throttle(of: response), wait <= Self.longestWait else { return response }
            try await clock.sleep(milliseconds: wait)
        }
        return try await ask()
    }

    /// Does the same for a request that accompanies bytes.
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
    /// Returns the milliseconds to wait after a "too many requests" answer; nil for another answer.
    fileprivate func throttle(of response: TransportResponse) -> Int64? {
        guard response.status == 429 else { return nil }
        return failure(of: response, .assetsUpload).retryAfter ?? 1_000
    }
}
