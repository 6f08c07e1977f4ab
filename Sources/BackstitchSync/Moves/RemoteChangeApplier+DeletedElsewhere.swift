import Backstitch
import CloudWire

extension RemoteChangeApplier {
    /// Weighs deletions of objects against records in other zones. The case: this device has deleted an object, and has
    /// found its record already gone. On a server that tells of no moves, the reason may be a move.
    ///
    /// 1. The push notes such deletions (`SyncNotes.deletedBefore`).
    /// 2. The cycle reads all zones for them.
    /// 3. Then the notes are removed (``MoveSettler``).
    ///
    /// Objects with identifying values are left out, and records of other users. Each of these may be a new object.
    mutating func weighDeletionsElsewhere(_ news: [RemoteChange]) throws {
        guard settings.followsMoves, settings.mayMove, !settings.reportsMoves else { return }
        let deleted = Set(try journal.subjects(of: .deletedBefore))
        guard !deleted.isEmpty else { return }
        let sequence = try journal.lastTransactionNumber()
        for item in news where deleted.contains(item.key) && states[item.key] == nil && entries[item.key] == nil {
            guard let record = item.record, try journal.isOwn(record.created?.userRecordName),
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
