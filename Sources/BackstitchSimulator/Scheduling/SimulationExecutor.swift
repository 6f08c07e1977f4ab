import Backstitch
import BackstitchSupport
import BackstitchTestKit
import Foundation

/// Runs the tasks of a world on the world's thread, in an order given by a seed.
///
/// Tasks with this executor as their preference run here, together with their child tasks and everything they await.
/// The exception is work that hops to threads of its own.
final class SimulationExecutor: TaskExecutor {
    private struct State: Sendable {
        var ready: [UnownedJob] = []
        var random: SeededGenerator
        var hasLeaked = false
    }

    private let state: Locked<State>
    private let thread = ObjectIdentifier(Thread.current)

    init(seed: UInt64) { state = Locked(State(random: SeededGenerator(seed: seed))) }

    /// Whether a job came from another thread. Then the order no longer depends on the seed alone.
    var hasLeaked: Bool { state.withLock { $0.hasLeaked } }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isForeign = ObjectIdentifier(Thread.current) != thread
        state.withLock { state in
            state.ready.append(job)
            if isForeign { state.hasLeaked = true }
        }
    }

    /// Runs jobs until none is ready.
    func drain() {
        while let job = next() { job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    private func next() -> UnownedJob? {
        state.withLock { state in
            guard !state.ready.isEmpty else { return nil }
            return state.ready.remove(at: Int(state.random.next() % UInt64(state.ready.count)))
        }
    }
}
