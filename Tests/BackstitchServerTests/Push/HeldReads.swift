import BackstitchSupport
import Dispatch
import TestSupport

/// Counts the reads of a ``HeldDatabase``. They wait while they are held, and may fail.
final class HeldReads: Sendable {
    private struct State {
        var isHeld = false
        var fails = false
        var reads = 0
        var waiting: [DispatchSemaphore] = []
    }

    private let state = Locked(State())

    /// The number of reads that have begun since the last call.
    func take() -> Int {
        state.withLock { state in
            defer { state.reads = 0 }
            return state.reads
        }
    }

    func hold() { state.withLock { $0.isHeld = true } }

    func release() {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            state.isHeld = false
            return state.waiting
        }
        for semaphore in waiting { semaphore.signal() }
    }

    func fail(_ fails: Bool) { state.withLock { $0.fails = fails } }

    /// Begins a read: on a thread of the storage, which may wait.
    func begin() throws {
        let semaphore: DispatchSemaphore? = state.withLock { state in
            state.reads += 1
            guard state.isHeld else { return nil }
            let semaphore = DispatchSemaphore(value: 0)
            state.waiting.append(semaphore)
            return semaphore
        }
        semaphore?.wait()
        if state.withLock({ $0.fails }) { throw TestFailure("a read that fails") }
    }
}
