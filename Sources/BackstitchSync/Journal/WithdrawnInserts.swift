import Backstitch
import CloudWire

// An insert whose answer never came may still be under way when its object is deleted, and when the server is told so:
// then there is no such record yet, and one comes afterwards. Objects that were deleted so are kept in mind, and a
// record that comes for one is deleted too.

extension JournalReading {
    /// The objects that were deleted, and whose inserts may still arrive; and when (milliseconds since 1970).
    func withdrawnInserts() throws -> [ObjectKey: Int64] {
        try Dictionary(notes(.withdrawn).map { ($0.subject, $0.value) }) { first, _ in first }
    }
}

extension JournalWriting {
    /// Notes objects that were deleted, and whose inserts may still arrive.
    ///
    /// - Parameter now: Milliseconds since 1970.
    func noteWithdrawn(_ keys: [ObjectKey], at now: Int64) throws {
        for key in keys { try setNote(.withdrawn, of: key, to: now) }
        let known = try withdrawnInserts()
        guard known.count > WithdrawnInsert.mostOld else { return }
        let old = known.filter { now - $0.value > WithdrawnInsert.longestJourney }
        for (key, _) in old.sorted(by: { ($0.value, $0.key) < ($1.value, $1.key) }).dropLast(WithdrawnInsert.mostOld) {
            try removeNote(.withdrawn, of: key)
        }
    }

    /// Takes note that objects are made anew: their records are theirs.
    func endWithdrawals(of keys: [ObjectKey]) throws {
        guard !keys.isEmpty else { return }
        let withdrawn = try withdrawnInserts()
        guard !withdrawn.isEmpty else { return }
        for key in keys where withdrawn[key] != nil { try removeNote(.withdrawn, of: key) }
    }
}

extension RemoteChangeApplier {
    /// Sees to it that a record goes that a withdrawn insert has made.
    ///
    /// - Returns: Whether it is one.
    mutating func withdraw(_ record: WireRecord, _ news: RemoteChange) throws -> Bool {
        guard let since = withdrawn[news.key], states[news.key] == nil, let type = record.recordType,
            let entity = settings.model.entity(ofType: type), !isAnothers(record, entity, since)
        else { return false }
        let id = ObjectID(entityName: entity.entity.name, key: news.key)
        let sequence = try journal.lastTransactionNumber()
        notes.states.append(
            RecordState(objectID: id, foreignName: news.foreignName, changeTag: record.recordChangeTag))
        notes.entries.append(
            OutboxEntry(objectID: id, kind: .delete, sequence: sequence, firstSequence: sequence))
        // In the public database another request may come, and nothing but a look by name tells of it.
        if !settings.isPublic { try journal.removeNote(.withdrawn, of: news.key) }
        result.hasUnsent = true
        return true
    }

    /// Whether somebody else has made the record of an object that is known by its values: it has the same key, and is
    /// no insert of this device.
    private func isAnothers(_ record: WireRecord, _ entity: SyncedEntity, _ since: Int64) -> Bool {
        guard entity.entity.isIdentifiedByValues, let created = record.created else { return false }
        if created.timestamp - since > WithdrawnInsert.longestJourney { return true }
        guard let maker = created.deviceID, maker != WireStamp.unnamedDevice, let own = settings.device else {
            return false
        }
        return maker != own
    }

    /// Takes note that an object is here again whose record there is news of.
    func endWithdrawal(of item: RemoteChange) throws {
        guard item.record != nil, withdrawn[item.key] != nil, entries[item.key]?.kind != .delete,
            states[item.key] != nil || entries[item.key] != nil
        else { return }
        try journal.removeNote(.withdrawn, of: item.key)
    }
}
