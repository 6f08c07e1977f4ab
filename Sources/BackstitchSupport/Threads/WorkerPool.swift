import Dispatch
import Foundation

/// A pool with its own threads for blocking work: such work never holds a thread of the cooperative pool.
///
/// A thread is started if work waits and no thread is idle, up to `limit` threads. A thread ends after ten seconds
/// without work.
package final class WorkerPool: Sendable {
    private struct State: Sendable {
        var jobs: [@Sendable () -> Void] = []
        var head = 0
        var idle = 0
        var threads = 0
        var isClosed = false
    }

    private let name: String
    private let limit: Int
    // A condition rather than a mutex: idle threads sleep on it until there is work. It guards `state`.
    private let condition = TimedCondition()
    // Only touched while `condition` is locked.
    nonisolated(unsafe) private var state = State()

    package init(name: String, limit: Int) {
        self.name = name
        self.limit = limit
    }

    /// A pool without threads: it does the work at once, on the caller's thread. The simulator uses it, since it runs
    /// everything on one thread.
    package static var inline: WorkerPool { WorkerPool(name: "inline", limit: 0) }

    /// Runs `body` on a thread of the pool and returns its result or throws its error.
    ///
    /// Cancellation is ignored here: work that has begun runs to its end, so that nothing is half done.
    package func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            submit { continuation.resume(with: Swift.Result(catching: body)) }
        }
    }

    /// Queues `job` for a thread of the pool.
    package func submit(_ job: @escaping @Sendable () -> Void) {
        guard limit > 0 else { return job() }
        condition.lock()
        defer { condition.unlock() }
        state.jobs.append(job)
        // An idle thread may have been woken for an earlier job, and not have taken that job yet.
        if state.idle >= state.jobs.count - state.head {
            condition.signal()
        } else if state.threads < limit {
            state.threads += 1
            let thread = Thread { [self] in work() }
            thread.name = name
            thread.start()
        }
    }

    /// Whether the calling thread runs a job of this pool.
    package var isCaller: Bool { Thread.current.threadDictionary[Self.poolKey] as? WorkerPool === self }

    /// The key of the pool in a thread's dictionary.
    private static let poolKey = "Backstitch.WorkerPool"

    private func work() {
        Thread.current.threadDictionary[Self.poolKey] = self
        while let job = nextJob() { job() }
    }

    private func nextJob() -> (@Sendable () -> Void)? {
        condition.lock()
        defer { condition.unlock() }
        while state.head == state.jobs.count {
            state.idle += 1
            let isWoken = condition.wait(until: .now() + 10)
            state.idle -= 1
            if !isWoken, state.head == state.jobs.count {
                state.threads -= 1
                return nil
            }
        }
        let job = state.jobs[state.head]
        state.head += 1
        if state.head == state.jobs.count || state.head > 1024 {
            state.jobs.removeFirst(state.head)
            state.head = 0
        }
        return job
    }
}
