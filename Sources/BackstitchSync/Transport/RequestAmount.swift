/// The amount per request, so that it arrives in time over a slow connection. A request that took too long halves the
/// amount. The smallest amount gets more time instead. Successes raise the amount again.
struct RequestAmount: Sendable, Equatable {
    /// The most for one request; nil if nothing has taken too long.
    private(set) var ceiling: Int?
    /// The number of doublings of the time.
    private(set) var patience = 0
    private var successes = 0
    private var needed = 4

    /// The most doublings of the time.
    private static let mostPatience = 6

    /// Whether the smallest amount took too long, even with the longest time.
    var isExhausted: Bool { patience == Self.mostPatience }

    /// Returns the part of `whole` that one request may ask for.
    func share(of whole: Int) -> Int { min(whole, ceiling ?? whole) }

    /// Returns the time limit of a request in milliseconds: `usual`, doubled ``patience`` times.
    func time(_ usual: Int64) -> Int64 { usual << Int64(patience) }

    /// Reduces the pace after a request for this amount took too long. `smallest` is the least amount of a request.
    mutating func tookTooLong(_ asked: Int, smallest: Int = 1) {
        if asked > smallest {
            ceiling = max(asked / 2, smallest)
        } else {
            ceiling = asked
            patience = min(patience + 1, Self.mostPatience)
        }
        successes = 0
        // After a premature increase, the next one needs twice as many successes.
        needed = min(needed * 2, 64)
    }

    /// Counts a success: the request brought `amount` in time, out of `whole`. Less than half of the allowed amount
    /// does not count.
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
