import Backstitch
import CloudWire

extension RemoteChangeApplier {
    /// Finds edits that are missing in the outbox. The object differs from the version that the server acknowledged,
    /// and its last change was not made by sync. Such edits are added to the outbox, and their records are not applied.
    ///
    /// - Complexity: The whole history is read if any object differs.
    mutating func noteForgottenEdits(of keys: Set<ObjectKey>, in clean: inout [[CleanRecord]]) throws {
        var suspects: [ForgottenEdit] = []
        for (entity, records) in zip(settings.model.entities, clean) where !records.isEmpty {
            let known = records.filter { keys.contains($0.news.key) }
            let local = try LocalImages(of: known.map(\.news.key), entity, from: journal)
            var same: Set<ObjectKey> = []
            for item in known {
                let key = item.news.key, here = local[key]
                if let here, item.decoded.image(key: key, of: entity, keeping: here) == here {
                    same.insert(key)
                } else {
                    suspects.append(ForgottenEdit(item: item, entity: entity, local: here))
                }
            }
            clean[entity.entity.index] = records.filter { !same.contains($0.news.key) }
        }
        guard !suspects.isEmpty else { return }
        let writers = try journal.lastWriters(of: Set(suspects.map(\.item.news.key)))
        let sequence = try journal.lastTransactionNumber()
        var kept: Set<ObjectKey> = []
        for suspect in suspects where try note(suspect, writers[suspect.item.news.key], sequence) {
            kept.insert(suspect.item.news.key)
        }
        guard !kept.isEmpty else { return }
        result.hasUnsent = true
        for index in clean.indices { clean[index].removeAll { kept.contains($0.news.key) } }
    }

    /// Adds the user's change of an object to the outbox, if there was one. Without an entry in history an edit counts
    /// as the user's, and a missing object is created again.
    private mutating func note(_ suspect: ForgottenEdit, _ writer: LastWriter?, _ sequence: Int64) throws -> Bool {
        if writer?.isSync == true { return false }
        let (item, entity) = (suspect.item, suspect.entity)
        if let local = suspect.local {
            let there = item.decoded.image(key: item.news.key, of: entity, keeping: local)
            let isEdited = entity.entity.syncedProperties.contains {
                entity.sends($0) && there.content(of: $0) != local.content(of: $0)
            }
            if isEdited { try resend(item.news, entity, local, sequence) }
            return isEdited
        }
        guard writer?.kind == .delete, let id = states[item.news.key]?.objectID else { return false }
        let there = item.decoded.image(key: item.news.key, of: entity, keeping: nil)
        notes.entries.append(.deletion(of: id, there, entity.entity, sequence: sequence, existing: nil))
        return true
    }
}

/// An object that differs from the server's acknowledged version.
private struct ForgottenEdit {
    let item: CleanRecord
    let entity: SyncedEntity
    let local: RecordImage?
}

/// The last change of an object.
private struct LastWriter {
    let isSync: Bool
    let kind: PersistentHistoryChange.Kind
}

extension JournalReading {
    /// Returns the last changes of these objects in history; none for objects without an entry.
    fileprivate func lastWriters(of keys: Set<ObjectKey>) throws -> [ObjectKey: LastWriter] {
        var writers: [ObjectKey: LastWriter] = [:]
        var number = try purgedHistoryNumber()
        while true {
            let transactions = try history(after: number, limit: 1_000)
            guard let last = transactions.last else { return writers }
            for transaction in transactions {
                let isSync = transaction.author == SyncAuthor.name
                for change in transaction.changes where keys.contains(change.objectID.key) {
                    writers[change.objectID.key] = LastWriter(isSync: isSync, kind: change.kind)
                }
            }
            number = last.number
        }
    }
}
