import Backstitch

/// The objects merged here, with the objects that stayed. A later link to a removed object thus finds the remaining
/// one.
struct MergedKeys {
    private var winners: [ObjectKey: ObjectKey] = [:]

    init(_ journal: any JournalReading) throws {
        for (key, winner) in try journal.notes(.merged) { winners[key] = winner }
    }

    var isEmpty: Bool { winners.isEmpty }

    /// The object that `key` was merged into; nil if it was not merged.
    func winner(of key: ObjectKey) -> ObjectKey? {
        guard var winner = winners[key] else { return nil }
        // Winners have ever lower keys, so normally there is no circle. Exceptions, such as objects deleted by others,
        // could make one.
        var steps = 0
        while let next = winners[winner], next != key, steps < winners.count {
            winner = next
            steps += 1
        }
        return winner
    }

    /// Notes the merge of an object into another one.
    static func add(_ loser: ObjectKey, _ winner: ObjectKey, to journal: any JournalWriting) throws {
        try journal.removeNote(.merged, of: winner)
        try journal.setNote(.merged, of: loser, to: winner)
    }

    /// Notes that an object exists by itself again.
    mutating func remove(_ key: ObjectKey, from journal: any JournalWriting) throws {
        guard winners.removeValue(forKey: key) != nil else { return }
        try journal.removeNote(.merged, of: key)
    }
}
