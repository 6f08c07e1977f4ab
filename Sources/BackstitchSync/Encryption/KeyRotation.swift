import Backstitch

/// Encrypts records anew after their keys were replaced: a few in each cycle without other changes to send.
///
/// For each record, the outbox gets an entry without fields. It is sent like other changes, with the known change tag.
/// So another device's edit wins, and its record comes back with its own keys. An edit made here meanwhile adds its
/// fields to the entry. If the process is killed, the entries are in the outbox, and the notes (``RecordSealing``) tell
/// the rest of the work.
struct KeyRotation {
    let model: SyncedModel
    let ring: EncryptionKeyRing
    let zoneNumber: Int64

    /// The next entries, and whether there may be more after them.
    struct Turn {
        var entries: [OutboxEntry] = []
        var hasMore = false
    }

    /// Whether records under a replaced key may be left. In a zone with read-only access, other users take care of
    /// this.
    func isDue(_ journal: any JournalReading) throws -> Bool {
        guard let signature else { return false }
        guard try journal.value(of: .rotatedKeys) != signature else { return false }
        return try journal.mayWriteAll(inZone: zoneNumber)
    }

    /// Takes up to `limit` records, and notes the progress.
    ///
    /// - Complexity: O(records with encrypted values / 256) for each part it examines.
    func next(in journal: any JournalWriting, limit: Int) throws -> Turn {
        guard let signature, try isDue(journal) else { return Turn() }
        var turn = Turn()
        let first = Int(try journal.value(of: .rotationPart) ?? 0)
        let sequence = try journal.lastTransactionNumber()
        var next = 0
        // All parts are examined once, since records may have come into parts examined before.
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
        // Records that are being sent, or met a conflict, are examined once more before the rotation counts as
        // complete.
        if turn.entries.isEmpty { try journal.set(.rotatedKeys, to: signature) }
        turn.hasMore = !turn.entries.isEmpty
        try journal.set(.rotationPart, to: next == 0 ? nil : Int64(next))
        if !turn.entries.isEmpty { try journal.putOutbox(turn.entries) }
        return turn
    }

    /// Objects of a part with a record under a replaced key and no other pending work.
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

    /// A text with the names of all keys of the rotation; nil if no key is replaced.
    private var signature: String? {
        guard case .success(let key)? = ring.current, !ring.replaced.isEmpty else { return nil }
        return ([key.id] + ring.replaced.sorted()).joined(separator: " ")
    }
}
