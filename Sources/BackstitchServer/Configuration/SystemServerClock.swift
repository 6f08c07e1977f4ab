import Foundation

/// The machine's clock and its generator of random numbers.
public struct SystemServerClock: ServerClock {
    /// The machine's clock.
    public init() {}

    /// Milliseconds since 1970-01-01 00:00 UTC.
    public func now() -> Int64 {
        Int64((Date().timeIntervalSince1970 * 1000).rounded(.down))
    }

    /// Waits.
    ///
    /// - Throws: `CancellationError` when the task is cancelled first.
    public func sleep(milliseconds: Int64) async throws {
        try await Task.sleep(for: .milliseconds(milliseconds))
    }
}

/// The machine's generator of random numbers, which is fit for secrets.
public struct SystemServerRandom: ServerRandom {
    /// The machine's generator.
    public init() {}

    /// As many bytes as asked for.
    public func bytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }
}
