import Backstitch
import CloudWire

extension RemoteChangeApplier {
    /// Has deletions weighed against records of the main zone whose objects this device has deleted in the zone to
    /// which they had moved, as their records there were gone: where the main zone is lost, the others fill it with
    /// what they have, keep the object there, and delete the record to which it had moved.
    ///
    /// The push notes such deletions (`SyncNotes.deletedBefore`), the cycle reads the main zone for them, and the end
    /// of that pull ends the notes: the others delete the record elsewhere once the main zone has theirs. That is the
    /// zone in which an object with two records stays, since its name comes first.
    ///
    /// One whose values identify it may be a new object, and so may one that another user has made.
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
