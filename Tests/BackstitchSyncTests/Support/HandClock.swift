import Backstitch
import BackstitchServer
import TestSupport

/// A server's clock that is turned by hand.
final class HandClock: ServerClock {
    private let time = Locked<Int64>(1_790_000_000_000)

    func now() -> Int64 { time.withLock { $0 } }

    func advance(seconds: Int64) { time.withLock { $0 += seconds * 1_000 } }

    func sleep(milliseconds: Int64) async throws { try await Task.sleep(for: .milliseconds(milliseconds)) }
}
