import Backstitch

/// Has records encrypted anew whose keys were replaced: a few in each cycle that has nothing else to send.
///
/// A record's turn is an entry of the outbox without fields: it goes as other changes do, with the change tag that is
/// known here. So an edit of somebody else wins, and its record comes back with the keys that it then has; an edit made
/// here meanwhile adds its fields to the entry. After a kill the entries are in the outbox, and the notes
/// (``RecordSealing``) tell what is left.
struct KeyRotation {
    let model: SyncedModel
    let ring: EncryptionKeyRing
    let zoneNumber: Int64

    /// The entries that are next, and whether there may be more after them.
    struct Turn {
        var entries: [OutboxEntry] = []
        var hasMore = false
    }

    /// Whether records may be left that are under a key that was replaced. In a zone that is only read others see to
    /// that.
    func isDue(_ journal: any JournalReading) throws -> Bool {
        guard let signature else { return false }
        guard try journal.value(of: .rotatedKeys) != signature else { return false }
        return try journal.mayWriteAll(inZone: zoneNumber)
    }

    /// Takes up to `limit` records' turns, and notes how far that has come.
    ///
    /// - Complexity: O(records with encrypted values / 256) for each part of them that it looks at.
    func next(in journal: any JournalWriting, limit: Int) throws -> Turn {
        guard let signature, try isDue(journal) else { return Turn() }
        var turn = Turn()
        let first = Int(try journal.value(of: .rotationPart) ?? 0)
        let sequence = try journal.lastTransactionNumber()
        var next = 0
        // Around once, since records may have come meanwhile into parts that were looked at before.
        for part in (0..<SealingSubject.parts).map({ (first + $0) % SealingSubject.parts }) {
            let found = try stale(ofPart: part, in: journal)
            for id in found.prefix(limit - turn.entries.count) {
                turn.entries.append(
                    OutboxEntry(objectID: id, kind: .update, sequence: sequence, firstSequence: sequence))
            }
            guard turn.entries.count < limit else {
                next = part
                break
            }
        }
        // Records that are on their way, or met a conflict, are looked at once more before all is taken for done.
        if turn.entries.isEmpty { try journal.set(.rotatedKeys, to: signature) }
        turn.hasMore = !turn.entries.isEmpty
        try journal.set(.rotationPart, to: next == 0 ? nil : Int64(next))
        if !turn.entries.isEmpty { try journal.putOutbox(turn.entries) }
        return turn
    }

    /// Objects of a part whose records are under a key that was replaced, and that nothing else is to be done with.
    private func stale(ofPart part: Int, in journal: any JournalWriting) throws -> [ObjectID] {
        let replaced = ring.replaced
        let keys = try journal.sealings(ofPart: part).filter { !$0.sealing.keyIDs.isDisjoint(with: replaced) }
            .map(\.key)
        guard !keys.isEmpty else { return [] }
        let states = try journal.recordStates(for: keys), entries = try journal.outbox(for: keys)
        let zones = try journal.zones(of: keys), away = try journal.awayKeys()
        return try keys.sorted().compactMap { key in
            guard (zones[key] ?? 0) == zoneNumber else { return nil }
            guard let state = states[key] else {
                try journal.removeNote(.sealing, of: SealingSubject(key))
                return nil
            }
            guard state.changeTag != nil, entries[key] == nil, !away.contains(key),
                model.entity(named: state.objectID.entityName)?.hasEncryption == true
            else { return nil }
            return state.objectID
        }
    }

    /// Names the keys that are to be done with; nil where there are none.
    private var signature: String? {
        guard case .success(let key)? = ring.current, !ring.replaced.isEmpty else { return nil }
        return ([key.id] + ring.replaced.sorted()).joined(separator: " ")
    }
}
