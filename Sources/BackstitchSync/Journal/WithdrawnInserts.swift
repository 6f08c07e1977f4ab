import Backstitch
import CloudWire

// An object may be deleted while its insert is still under way without an answer. When the server is told of the
// deletion, it has no such record yet, and the record comes afterwards. Such objects are noted. A record that comes for
// one of them is deleted too.

extension JournalReading {
    /// The deleted objects with inserts that may still arrive, with the times of their deletions (milliseconds since
    /// 1970).
    func withdrawnInserts() throws -> [ObjectKey: Int64] {
        try Dictionary(notes(.withdrawn).map { ($0.subject, $0.value) }) { first, _ in first }
    }
}

extension JournalWriting {
    /// Notes deleted objects with inserts that may still arrive.
    ///
    /// - Parameter now: Milliseconds since 1970, see ``SteadyTime``.
    func noteWithdrawn(_ keys: [ObjectKey], at now: Int64) throws {
        for key in keys { try setNote(.withdrawn, of: key, to: now) }
        let known = try withdrawnInserts()
        guard known.count > WithdrawnInsert.maximumCount else { return }
        let old = known.filter { now - $0.value > WithdrawnInsert.maximumDelay }
        for (key, _) in old.sorted(by: { ($0.value, $0.key) < ($1.value, $1.key) }).dropLast(
            WithdrawnInsert.maximumCount)
        {
            try removeNote(.withdrawn, of: key)
        }
    }

    /// Ends the notes of objects made anew: new records belong to them.
    func endWithdrawals(of keys: [ObjectKey]) throws {
        guard !keys.isEmpty else { return }
        let withdrawn = try withdrawnInserts()
        guard !withdrawn.isEmpty else { return }
        for key in keys where withdrawn[key] != nil { try removeNote(.withdrawn, of: key) }
    }
}

extension RemoteChangeApplier {
    /// Whether a withdrawn insert has made a record.
    func isWithdrawn(_ record: WireRecord, _ news: RemoteChange) -> Bool {
        guard let since = withdrawn[news.key], states[news.key] == nil,
            let entity = record.recordType.flatMap({ settings.model.entity(ofType: $0) })
        else { return false }
        return !isAnothers(record, entity, since)
    }

    /// Adds the deletion of such a record to the outbox.
    mutating func withdraw(_ record: WireRecord, _ news: RemoteChange) throws {
        guard let entity = record.recordType.flatMap({ settings.model.entity(ofType: $0) }) else { return }
        let id = ObjectID(entityName: entity.entity.name, key: news.key)
        let sequence = try journal.lastTransactionNumber()
        notes.states.append(
            RecordState(objectID: id, foreignName: news.foreignName, changeTag: record.recordChangeTag))
        notes.entries.append(
            OutboxEntry(objectID: id, kind: .delete, sequence: sequence, firstSequence: sequence))
        // In the public database another request may come. Only a look-up by name would show it.
        if !settings.isPublic { try journal.removeNote(.withdrawn, of: news.key) }
        result.hasUnsent = true
    }

    /// Whether another device has made the record. An object identified by its values has the same key there, without
    /// being an insert of this device.
    private func isAnothers(_ record: WireRecord, _ entity: SyncedEntity, _ since: Int64) -> Bool {
        guard entity.entity.isIdentifiedByValues, let created = record.created else { return false }
        guard let maker = created.deviceID, maker != WireStamp.unnamedDevice, let own = settings.device else {
            // The server's clock and this one may differ.
            return created.timestamp - since > WithdrawnInsert.maximumDelay
        }
        return maker != own
    }

    /// Ends the note of an object that is here again when its record comes.
    func endWithdrawal(of item: RemoteChange) throws {
        guard item.record != nil, withdrawn[item.key] != nil, entries[item.key]?.kind != .delete,
            states[item.key] != nil || entries[item.key] != nil
        else { return }
        try journal.removeNote(.withdrawn, of: item.key)
    }
}
