/// How much is asked for at once, so that it comes through a slow line in time: half as much after each request that
/// took too long, down to the smallest there is, which gets more time instead; and more again when that goes well.
struct Pace: Sendable, Equatable {
    /// Most that is asked for at once; nil when nothing has taken too long.
    private(set) var ceiling: Int?
    /// How often the time was doubled.
    private(set) var patience = 0
    private var successes = 0
    private var needed = 4

    /// The time is doubled so often at most.
    private static let mostPatience = 6

    /// Whether the smallest there is took too long with all the time that there is.
    var isExhausted: Bool { patience == Self.mostPatience }

    /// As much of `whole` as may be asked for at once.
    func share(of whole: Int) -> Int { min(whole, ceiling ?? whole) }

    /// Milliseconds that a request may take which usually may take so many.
    func time(_ usual: Int64) -> Int64 { usual << Int64(patience) }

    /// A request for so much took too long, of which nothing smaller than `smallest` may be asked for.
    mutating func tookTooLong(_ asked: Int, smallest: Int = 1) {
        if asked > smallest {
            ceiling = max(asked / 2, smallest)
        } else {
            ceiling = asked
            patience = min(patience + 1, Self.mostPatience)
        }
        successes = 0
        // An increase that came too early comes later the next time.
        needed = min(needed * 2, 64)
    }

    /// A request has brought so much in time, of a `whole` that may be asked for. Less than half of what may be asked
    /// for proves nothing.
    mutating func succeeded(_ amount: Int, of whole: Int) {
        guard ceiling != nil, amount > 0, amount * 2 >= share(of: whole) else { return }
        successes += 1
        guard successes >= needed else { return }
        successes = 0
        if patience > 0 {
            patience -= 1
        } else if let small = ceiling {
            ceiling = small * 2 < whole ? small * 2 : nil
        }
        if ceiling == nil, patience == 0 { needed = 4 }
    }
}
