import Backstitch

// The feed still tells of a deletion that the server has taken. An insert of the object before that, as undo makes one,
// begins another life of it, which that news does not end: it does not prove that the new insert has arrived.

extension JournalReading {
    /// Objects whose deletion the server has taken, and of which the feed may still tell.
    func endedKeys() throws -> Set<ObjectKey> { Set(try value(of: .ended) ?? []) }
}

extension JournalWriting {
    /// Notes objects whose deletion the server has. Of many only the last are kept: few are inserted again within a
    /// cycle.
    func noteEnded(_ keys: [ObjectKey]) throws {
        guard !keys.isEmpty else { return }
        let all = try (value(of: .ended) ?? []) + keys
        try set(.ended, to: Array(all.suffix(10_000)))
    }

    /// A pull has come to its end, which began after all that was noted.
    func forgetEnded() throws {
        if try has(.ended) { try remove(.ended) }
    }
}
