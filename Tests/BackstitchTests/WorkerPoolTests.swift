import Backstitch
import Dispatch
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
}
