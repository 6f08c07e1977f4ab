import Backstitch
import BackstitchSupport
import BackstitchTestKit
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("the note in a store's journal that says who syncs it")
struct LeaseTests {
    /// A clock with a manually set time. Its sleepers sleep until they are woken for good.
    private final class DeadClock: WallClock {
        let time = VirtualClock()

        func milliseconds() -> Int64 { time.milliseconds() }
        func uptime() -> Int64 { time.uptime() }
        func sleep(untilUptime time: Int64) async throws { try await Task.sleep(for: .seconds(3_600)) }
    }

    @Test("who does not renew it any more loses it after a time that the others measure; who lets it go, at once")
    func expiry() throws {
        let store = try JournalBench().store, clock = DeadClock()
        let locks = ["a", "b", "c"].map { LeaseLock(store, holder: $0, clock: clock) {} }
        #expect(try locks[0].take(.exclusive) && locks[0].take(.exclusive))
        #expect(try !locks[1].take(.exclusive))
        clock.time.advance(by: LeaseLock.expiry - 1)
        // A change of the wall clock takes the lock from no holder.
        clock.time.jump(by: 86_400_000)
        #expect(try !locks[1].take(.exclusive))
        clock.time.jump(by: -90_000_000)
        #expect(try !locks[1].take(.exclusive))
        // The third one has not seen it until now, so for him it is new.
        #expect(try !locks[2].take(.exclusive))
        clock.time.advance(by: 1)
        #expect(try !locks[2].take(.exclusive) && locks[1].take(.exclusive))
        clock.time.advance(by: LeaseLock.expiry)
        // It is another one's by now.
        #expect(try !locks[2].take(.exclusive))
        // The first has lost it, and does not take it from who has it now.
        locks[0].release()
        #expect(try !locks[2].take(.exclusive))
        locks[1].release()
        #expect(try locks[2].take(.exclusive))
    }

    @Test("a process that was taken for dead learns so when it asks, once, and may have it again when it is let go")
    func lost() throws {
        let store = try JournalBench().store, clock = DeadClock(), losses = Locked(0)
        let late = LeaseLock(store, holder: "late", clock: clock) { losses.withLock { $0 += 1 } }
        let next = LeaseLock(store, holder: "next", clock: clock) {}
        #expect(try late.take(.exclusive) && !next.take(.exclusive))
        clock.time.advance(by: LeaseLock.expiry)
        #expect(try next.take(.exclusive))
        for _ in 0..<2 {
            #expect(try !late.take(.exclusive))
            #expect(losses.withLock { $0 } == 1)
        }
        next.release()
        #expect(try late.take(.exclusive))
    }
}
