import BackstitchSupport
import Foundation

/// Makes the keys of new objects: UUIDs of version 7 (RFC 9562 §5.7), rising within one generator.
///
/// For repeatable tests pass a generator with a fixed clock and seed:
/// `ObjectIDGenerator(clock: clock, random: SeededGenerator(seed: 7))`.
public final class ObjectIDGenerator: Sendable {
    private struct State {
        var random: any RandomNumberGenerator & Sendable
        var last: (milliseconds: UInt64, counter: UInt64) = (0, 0)
    }

    private let clock: any WallClock
    private let state: Locked<State>

    /// Makes a generator from a clock and random numbers; by default the machine's.
    public init(
        clock: any WallClock = SystemClock(),
        random: any RandomNumberGenerator & Sendable = SystemRandomNumbers()
    ) {
        self.clock = clock
        self.state = Locked(State(random: random))
    }

    /// Makes a new key. Keys of one generator rise, even within a millisecond and after the clock steps back.
    public func next() -> ObjectKey {
        let now = UInt64(clamping: clock.milliseconds()) & 0xFFFF_FFFF_FFFF
        return state.withLock { state in
            // The 12 bits of rand_a count within a millisecond; an overflow borrows from the next millisecond.
            if now > state.last.milliseconds {
                state.last = (now, state.random.next() & 0x3FF)
            } else if state.last.counter < 0xFFF {
                state.last.counter += 1
            } else {
                state.last = (state.last.milliseconds + 1, 0)
            }
            let high = state.last.milliseconds << 16 | 0x7000 | state.last.counter
            let low = state.random.next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
            return ObjectKey(high: high, low: low)
        }
    }
}
