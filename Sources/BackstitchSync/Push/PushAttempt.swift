import Backstitch

/// One change of a batch, recorded in the journal before the batch is sent. The server may have it from then on, until
/// its answer is known.
package struct PushAttempt: Sendable, Equatable {
    let key: ObjectKey
    /// The digests of the values sent; nil if an earlier attempt with an unknown answer sent the same.
    let trace: PushTrace?
    /// The object's first insert; the server had known nothing of it.
    let insert: UnansweredInserts.Insert?
    /// The first transaction of an insert that the server may have from now on.
    let firstSequence: Int64?

    init(_ item: PushItem) {
        key = item.entry.objectID.key
        let isInsert = item.makesRecord
        insert = isInsert && !item.mayHaveArrived ? UnansweredInserts.Insert(item.entry) : nil
        firstSequence = isInsert ? item.entry.firstSequence : nil
        // For an insert these are the fields changed after it: their bases are older than the values sent now.
        let trace = item.pushed.mapValues(FieldDigest.init)
        self.trace = trace.isEmpty || item.earlierTraces.contains(trace) ? nil : trace
    }
}

extension PushAttempt {
    /// The attempt to move an object: its record is no insert, since the server knows the object.
    init(moving item: PushItem) {
        key = item.entry.objectID.key
        (insert, firstSequence) = (nil, nil)
        let trace = item.pushed.mapValues(FieldDigest.init)
        self.trace = trace.isEmpty || item.earlierTraces.contains(trace) ? nil : trace
    }
}

extension JournalWriting {
    /// Records, before a batch is sent, the changes that may reach the server.
    func note(_ attempts: [PushAttempt]) throws {
        if let newest = attempts.compactMap(\.firstSequence).max(), try newest > value(of: .attempted) ?? 0 {
            try set(.attempted, to: newest)
        }
        try endWithdrawals(of: attempts.filter { $0.firstSequence != nil }.map(\.key))
        let inserts = attempts.compactMap(\.insert)
        if !inserts.isEmpty {
            var unanswered = try unansweredInserts()
            unanswered.add(inserts)
            try set(.unanswered, to: unanswered)
        }
        try changeTraces(of: attempts) { $0.add($1, for: $2) }
    }

    /// Removes the notes of attempts that the server certainly has not taken: it refused their batch as a whole, or
    /// they were never sent. Otherwise a record of another device would count as this device's own, and its values as
    /// newer ones.
    func takeBack(_ attempts: [PushAttempt]) throws {
        let inserts = attempts.compactMap(\.insert)
        if !inserts.isEmpty {
            var unanswered = try unansweredInserts()
            unanswered.remove(inserts.map(\.key))
            try set(.unanswered, to: unanswered)
        }
        try changeTraces(of: attempts) { pushes, trace, key in pushes[key].removeAll { $0 == trace } }
    }

    /// Forgets the traces of objects that are gone.
    func forgetTraces(of keys: [ObjectKey]) throws {
        guard !keys.isEmpty else { return }
        let before = try inFlightPushes()
        var pushes = before
        pushes.remove(keys)
        if pushes != before { try set(.inFlight, to: pushes) }
    }

    private func changeTraces(
        of attempts: [PushAttempt], _ change: (inout InFlightPushes, PushTrace, ObjectKey) -> Void
    ) throws {
        guard attempts.contains(where: { $0.trace != nil }) else { return }
        var pushes = try inFlightPushes()
        for attempt in attempts {
            if let trace = attempt.trace { change(&pushes, trace, attempt.key) }
        }
        try set(.inFlight, to: pushes)
    }
}
