import Backstitch
import BackstitchServer
import BackstitchSupport
import BackstitchSync
import BackstitchTestKit

/// The clock of one machine of a world. Its wall time may be wrong, jump, or freeze.
final class SimulatedClock: WallClock {
    private let scheduler: Confined<Scheduler>
    /// The error of the clock in milliseconds; when it is frozen, the time it shows.
    private let state = Locked<(offset: Int64, frozen: Int64?)>((0, nil))

    init(_ scheduler: Scheduler) { self.scheduler = Confined(scheduler) }

    func milliseconds() -> Int64 {
        let (offset, frozen) = state.withLock { $0 }
        return frozen ?? scheduler.value.now + scheduler.value.skipped + offset
    }

    /// The world's time. No setting of the clock changes it.
    func uptime() -> Int64 { scheduler.value.now + scheduler.value.skipped }

    /// Sets the error of the clock, in milliseconds, from now on.
    func set(offset: Int64) { state.withLock { $0 = (offset, nil) } }

    /// Freezes the clock at the present time.
    func freeze() {
        let time = milliseconds()
        state.withLock { $0.frozen = time }
    }

    /// Milliseconds until the uptime reaches `time`.
    func wait(untilUptime time: Int64) -> Int64 { max(time - uptime(), 0) }

    func sleep(untilUptime time: Int64) async throws {
        let scheduler = scheduler, milliseconds = wait(untilUptime: time)
        let sleeper = Confined(Sleeper())
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                guard !Task.isCancelled else { return continuation.resume(throwing: CancellationError()) }
                sleeper.value.continuation = continuation
                sleeper.value.entry = scheduler.value.after(milliseconds) { sleeper.value.wake(nil) }
            }
        } onCancel: {
            if let entry = sleeper.value.entry { scheduler.value.cancel(entry) }
            sleeper.value.wake(CancellationError())
        }
    }
}

private final class Sleeper {
    var continuation: CheckedContinuation<Void, any Error>?
    var entry: Int?

    func wake(_ error: (any Error)?) {
        guard let continuation else { return }
        self.continuation = nil
        if let error { continuation.resume(throwing: error) } else { continuation.resume() }
    }
}
