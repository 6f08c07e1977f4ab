/// The new entries of one share for a guest, as far as they are read.
struct GuestLog {
    let share: Int64
    /// Everything up to this sequence is read, in whole commits.
    private(set) var end: Int64
    /// The number of entries to read next.
    private(set) var portion: Int
    private var entries: [StoredVisibility] = []
    private var taken = 0

    init(share: Int64, after cursor: Int64, portion: Int) {
        self.share = share
        end = cursor
        self.portion = portion
    }

    /// All logs are read up to this sequence; the largest number if all are read to their ends.
    static func end(of logs: [GuestLog]) -> Int64 { logs.lazy.map(\.end).min() ?? Int64.max }

    /// Begins to read the next portion. After the first one, each is twice as long as the last.
    mutating func begin() {
        if taken > 0 { portion *= 2 }
        taken = 0
        end = Int64.max
    }

    /// Takes the next entry.
    ///
    /// - Returns: false if the entry begins a commit after the portion. Then the reading ends.
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
