import Dispatch
import Foundation

/// Threads of our own for work that blocks, so that it never holds a thread of the cooperative pool.
///
/// Threads are started when work waits and none is idle, up to `limit`, and end after a while without work.
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
    // A condition rather than a mutex: threads sleep on it until there is work. It guards `state`.
    private let condition = TimedCondition()
    // Only touched while `condition` is held.
    nonisolated(unsafe) private var state = State()

    package init(name: String, limit: Int) {
        self.name = name
        self.limit = limit
    }

    /// A pool without threads: work is done at once, on the caller's. For the simulator, which has one thread for
    /// everything.
    package static var inline: WorkerPool { WorkerPool(name: "inline", limit: 0) }

    /// Runs `body` on a thread of the pool and gives back what it returns or throws.
    ///
    /// Cancellation is not looked at here: work that has begun runs to its end, so that nothing is half done.
    package func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            submit { continuation.resume(with: Swift.Result(catching: body)) }
        }
    }

    /// Has `job` done on a thread of the pool, some time.
    package func submit(_ job: @escaping @Sendable () -> Void) {
        guard limit > 0 else { return job() }
        condition.lock()
        defer { condition.unlock() }
        state.jobs.append(job)
        // A thread that is idle may have been woken for a job before this one, and not have taken it yet.
        if state.idle >= state.jobs.count - state.head {
            condition.signal()
        } else if state.threads < limit {
            state.threads += 1
            let thread = Thread { [self] in work() }
            thread.name = name
            thread.start()
        }
    }

    /// Whether the caller is a job of the pool.
    package var isCaller: Bool { Thread.current.threadDictionary[Self.poolKey] as? WorkerPool === self }

    /// Where a thread has its pool.
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
