import Backstitch

/// Which objects became one here, so that links to one that is gone, which are still to come, find the one that stayed.
struct MergedKeys {
    private var winners: [ObjectKey: ObjectKey] = [:]

    init(_ journal: any JournalReading) throws {
        for (key, winner) in try journal.notes(.merged) { winners[key] = winner }
    }

    var isEmpty: Bool { winners.isEmpty }

    /// The object that `key` has become; nil when it is one of its own.
    func winner(of key: ObjectKey) -> ObjectKey? {
        guard var winner = winners[key] else { return nil }
        // A circle cannot come about, since winners have ever lower keys, but for objects that others had deleted.
        var steps = 0
        while let next = winners[winner], next != key, steps < winners.count {
            winner = next
            steps += 1
        }
        return winner
    }

    /// Notes that an object has become another one.
    static func add(_ loser: ObjectKey, _ winner: ObjectKey, to journal: any JournalWriting) throws {
        try journal.removeNote(.merged, of: winner)
        try journal.setNote(.merged, of: loser, to: winner)
    }

    /// Notes that an object is one of its own again.
    mutating func remove(_ key: ObjectKey, from journal: any JournalWriting) throws {
        guard winners.removeValue(forKey: key) != nil else { return }
        try journal.removeNote(.merged, of: key)
    }
}
