import Backstitch
import CloudWire

extension RemoteChangeApplier {
    /// Weighs deletions of moved objects against records of the main zone. The case: this device has deleted such an
    /// object in a further zone, and found its record already gone. The reason may be that the main zone was lost and
    /// filled again. The other devices then keep the object in the main zone, and delete the record in the further
    /// zone.
    ///
    /// 1. The push notes such deletions (`SyncNotes.deletedBefore`).
    /// 2. The cycle reads the main zone for them.
    /// 3. The end of this pull removes the notes. The other devices delete the record elsewhere only after the main
    ///    zone has theirs. An object with two records stays in the main zone, since its name comes first.
    ///
    /// Objects with identifying values are left out, and records of other users. Each of these may be a new object.
    mutating func weighDeletionsElsewhere(_ news: [RemoteChange]) throws {
        guard settings.followsMoves, settings.mayMove, settings.zoneNumber == 0 else { return }
        let deleted = Set(try journal.subjects(of: .deletedBefore))
        guard !deleted.isEmpty else { return }
        let sequence = try journal.lastTransactionNumber()
        for item in news where deleted.contains(item.key) && states[item.key] == nil && entries[item.key] == nil {
            guard let record = item.record, record.mark == nil, try journal.isOwn(record.created?.userRecordName),
                let entity = record.recordType.flatMap({ settings.model.entity(ofType: $0) })?.entity,
                !entity.isIdentifiedByValues
            else { continue }
            let id = ObjectID(entityName: entity.name, key: item.key)
            let entry = OutboxEntry(objectID: id, kind: .delete, sequence: sequence, firstSequence: sequence)
            let state = RecordState(objectID: id, foreignName: item.foreignName, changeTag: nil).ofNoRecord
            try journal.putOutbox([entry])
            try journal.putRecordStates([state])
            try journal.removeNote(.deletedBefore, of: item.key)
            (entries[item.key], states[item.key]) = (entry, state)
        }
    }
}
