import Backstitch

// A change of an object without a row has no meaning: the object is gone, and its deletion is known. A save does not
// make such a change, since it looks up the objects it links. Stores may have such changes from earlier versions, whose
// saves did not look.
extension JournalWriting {
    /// Forgets the unsent changes of missing objects, with the links to them.
    func forget(_ rowless: [ObjectID], _ model: SyncedModel) throws {
        guard !rowless.isEmpty else { return }
        for (name, ids) in Dictionary(grouping: rowless, by: \.entityName).sorted(by: { $0.key < $1.key }) {
            guard let entity = model.entity(named: name) else { continue }
            try delete(ids.map(\.key), of: entity.entity)
        }
        try removeOutbox(rowless.map(\.key))
    }
}

extension JournalingStore {
    /// Forgets blocked changes of missing objects.
    func forgetRowlessChanges(_ model: SyncedModel) throws {
        guard try !readJournal({ try $0.rowlessChanges(model) }).isEmpty else { return }
        try writeJournal(author: SyncAuthor.name) { journal in
            try journal.forget(try journal.rowlessChanges(model), model)
        }
    }
}

extension JournalReading {
    /// Missing objects with a blocked change.
    fileprivate func rowlessChanges(_ model: SyncedModel) throws -> [ObjectID] {
        let living = try blockedOutbox().filter { $0.kind != .delete }.map(\.objectID)
        return try Dictionary(grouping: living, by: \.entityName).sorted { $0.key < $1.key }.flatMap { name, ids in
            guard let entity = model.entity(named: name)?.entity else { return [ObjectID]() }
            let stored = Set(try rows(of: entity, keys: ids.map(\.key)).keys)
            return ids.filter { !stored.contains($0.key) }
        }
    }
}
