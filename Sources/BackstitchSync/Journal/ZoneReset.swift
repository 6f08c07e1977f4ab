package import Backstitch

extension JournalingStore {
    /// Forgets what the server knew, because it has lost the zone or another one takes its place: every object is
    /// unsent again, and nothing that is here is lost. Deletions have nothing left to delete.
    package func forgetZone(_ model: ResolvedModel) throws {
        try writeJournal(author: SyncAuthor.name) { journal in
            try journal.forgetRecords()
            let sequence = try journal.lastTransactionNumber()
            for entity in model.entities {
                for keys in try journal.allKeys(of: entity).chunks(of: 1_000) {
                    try journal.markUnsent(keys, of: entity, sequence: sequence)
                }
            }
            let deletions = try (journal.outbox(after: 0, limit: .max) + journal.blockedOutbox())
                .filter { $0.kind == .delete }
            try journal.removeOutbox(deletions.map(\.objectID.key))
            for key in [SyncMetadata.token, SyncMetadata.sweep, SyncMetadata.setUp, SyncMetadata.inFlight] {
                try journal.setMetadata(nil, for: key)
            }
        }
    }
}

extension JournalWriting {
    /// Removes all record states, but for the names that no key gives back.
    fileprivate func forgetRecords() throws {
        for keys in try allRecordKeys().chunks(of: 1_000) {
            let foreign = try recordStates(for: keys).values.filter { $0.foreignName != nil }
            try removeRecordStates(keys)
            try putRecordStates(
                foreign.map { RecordState(objectID: $0.objectID, foreignName: $0.foreignName, changeTag: nil) })
        }
    }

    /// Gives each object an insert entry; what was changed of it since the last agreement stays known.
    fileprivate func markUnsent(_ keys: [ObjectKey], of entity: ResolvedEntity, sequence: Int64) throws {
        let entries = try outbox(for: keys)
        try putOutbox(
            keys.compactMap { key in
                guard var entry = entries[key] else {
                    return OutboxEntry(
                        objectID: ObjectID(entityName: entity.name, key: key), kind: .insert, sequence: sequence,
                        firstSequence: sequence)
                }
                guard entry.kind != .insert || entry.blockedReason != nil else { return nil }
                entry.kind = .insert
                entry.blockedReason = nil
                return entry
            })
    }
}
