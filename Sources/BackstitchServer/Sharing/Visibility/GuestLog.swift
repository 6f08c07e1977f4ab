/// The beginning of what is new in a share for a guest, as far as it is read.
struct GuestLog {
    let share: Int64
    /// Up to this sequence everything is read, whole commits only.
    private(set) var end: Int64
    /// Entries to read next.
    private(set) var portion: Int
    private var entries: [StoredVisibility] = []
    private var taken = 0

    init(share: Int64, after cursor: Int64, portion: Int) {
        self.share = share
        end = cursor
        self.portion = portion
    }

    /// Up to where all of the logs are read; the largest number when they are read to their ends.
    static func end(of logs: [GuestLog]) -> Int64 { logs.lazy.map(\.end).min() ?? Int64.max }

    /// Begins to read on from the end.
    mutating func begin() {
        if taken > 0 { portion *= 2 }
        taken = 0
        end = Int64.max
    }

    /// Takes the next entry.
    ///
    /// - Returns: false when it begins a commit after the portion, and reading ends there.
    mutating func take(_ entry: StoredVisibility) -> Bool {
        if taken >= portion, let last = entries.last, last.sequence != entry.sequence {
            end = last.sequence
            return false
        }
        entries.append(entry)
        taken += 1
        return true
    }

    /// The entries up to a sequence. Complexity: O(log n).
    func entries(upTo sequence: Int64) -> ArraySlice<StoredVisibility> {
        guard let last = entries.last, last.sequence > sequence else { return entries[...] }
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].sequence <= sequence { low = middle + 1 } else { high = middle }
        }
        return entries[..<low]
    }
}
