import Backstitch

/// How far a storage has come: which history it is in, and how many commits it has made in its life.
struct StorageLife: Sendable, Hashable {
    var history: Int64
    var commits: Int64

    /// A history that begins now. It is later than `last`, and another one than anybody else begins in the same second.
    static func newHistory(after last: Int64, _ clock: any WallClock, _ random: any ServerRandom) -> Int64 {
        let seconds = max(clock.milliseconds() / 1000, 1)
        return max(seconds << 20 | random.identifier() & 0xF_FFFF, last + 1)
    }

    /// Whether a storage that is here now has gone back since the witness was written, or comes without its witness.
    func hasGoneBack(since witness: StorageLife?) -> Bool {
        guard let witness else { return true }
        return witness.history != history || witness.commits > commits
    }
}
