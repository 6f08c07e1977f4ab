import BackstitchSupport
import Dispatch
import Foundation
import Testing

@Suite("threads for work that blocks")
struct WorkerPoolTests {
    @Test("work that comes while an idle thread is being woken gets a thread of its own")
    func bursts() async {
        for _ in 0..<50 {
            let pool = WorkerPool(name: "test", limit: 2)
            // From then on one thread is idle.
            await withCheckedContinuation { continuation in pool.submit { continuation.resume() } }
            let second = DispatchSemaphore(value: 0)
            let isDone = await withCheckedContinuation { continuation in
                pool.submit { continuation.resume(returning: second.wait(timeout: .now() + 5) == .success) }
                pool.submit { second.signal() }
            }
            #expect(isDone, "the second job waits for the first")
            if !isDone { return }
        }
    }

    @Test("items done together are all done, so many at a time, and the first one's error is thrown")
    func together() throws {
        let pool = WorkerPool(name: "test", limit: 8), counts = Counts()
        try pool.together(Array(0..<100), atOnce: 4) { _ in counts.pass() }
        #expect(counts.passed == 100 && counts.most <= 4)
        let error = #expect(throws: Fault.self) {
            try pool.together(Array(0..<20), atOnce: 4) { item in
                counts.pass()
                if item % 7 == 3 { throw Fault(item: item) }
            }
        }
        #expect(error?.item == 3 && counts.passed == 120)
        try pool.together([Int](), atOnce: 4) { _ in counts.pass() }
        #expect(counts.passed == 120)
    }

    private struct Fault: Error { let item: Int }

    private final class Counts: Sendable {
        private let gate = NSLock()
        // Used while `gate` is locked only.
        nonisolated(unsafe) private var state = (inside: 0, most: 0, passed: 0)
        var most: Int { gate.withLock { state.most } }
        var passed: Int { gate.withLock { state.passed } }

        func pass() {
            gate.withLock {
                state.inside += 1
                state.most = max(state.most, state.inside)
            }
            usleep(1_000)
            gate.withLock {
                state.inside -= 1
                state.passed += 1
            }
        }
    }
}
