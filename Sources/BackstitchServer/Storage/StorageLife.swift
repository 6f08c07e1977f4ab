import Backstitch

/// The age of a storage: its current history, and the number of commits it has made in its life.
struct StorageLife: Sendable, Hashable {
    var history: Int64
    var commits: Int64

    /// A number for a new history. It is greater than `last`.
    ///
    /// Its low bits are random, so two servers that begin in the same second get different numbers.
    static func newHistory(after last: Int64, _ clock: any WallClock, _ random: any ServerRandom) -> Int64 {
        let seconds = max(clock.milliseconds() / 1000, 1)
        return max(seconds << 20 | random.identifier() & 0xF_FFFF, last + 1)
    }

    /// Whether the storage is behind its witness, is in another history, or has no witness.
    func hasGoneBack(since witness: StorageLife?) -> Bool {
        guard let witness else { return true }
        return witness.history != history || witness.commits > commits
    }
}
