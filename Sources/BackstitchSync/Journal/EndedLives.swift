import Backstitch

// After the server has accepted a deletion, the feed still reports it. Meanwhile the object may be inserted again, for
// example by undo, and so begins a new life. The reported deletion does not end this new life, and does not prove the
// arrival of the new insert.

extension JournalReading {
    /// Objects with a deletion accepted by the server, perhaps still to be reported by the feed.
    func endedKeys() throws -> Set<ObjectKey> { Set(try value(of: .ended) ?? []) }
}

extension JournalWriting {
    /// Notes objects that the server has deleted. Only the last 10,000 are kept: few objects are inserted again within
    /// a cycle.
    func noteEnded(_ keys: [ObjectKey]) throws {
        guard !keys.isEmpty else { return }
        let all = try (value(of: .ended) ?? []) + keys
        try set(.ended, to: Array(all.suffix(10_000)))
    }

    /// Forgets all these notes, at the end of a pull that began after them.
    func forgetEnded() throws {
        if try has(.ended) { try remove(.ended) }
    }
}
