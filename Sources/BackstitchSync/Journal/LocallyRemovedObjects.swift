import Backstitch

extension JournalReading {
    /// The keys of the objects removed from this store only.
    func awayKeys() throws -> Set<ObjectKey> { Set(try subjects(of: .away)) }
}

extension JournalingStore {
    /// Removes objects, and notes that their records stay.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` with a fault for each object with unsent changes or without a
    ///   record on the server.
    func removeLocally(_ ids: [ObjectID], _ model: SyncedModel) throws {
        try writeJournal(author: SyncAuthor.name) { journal in
            let keys = ids.map(\.key)
            let states = try journal.recordStates(for: keys)
            let entries = try journal.outbox(for: keys)
            let faults = ids.compactMap { id -> BackstitchError? in
                if entries[id.key] == nil, states[id.key]?.changeTag != nil { return nil }
                return BackstitchError(
                    .invalidRequest,
                    "\(id) differs from its record on the server, so removing it would lose changes; sync first",
                    objectID: id)
            }
            guard faults.isEmpty else {
                throw BackstitchError.combining(
                    faults, code: .invalidRequest, summary: "\(faults.count) objects cannot be removed here only:")
            }
            for (name, ids) in Dictionary(grouping: ids, by: \.entityName).sorted(by: { $0.key < $1.key }) {
                guard let entity = model.entity(named: name) else { continue }
                try journal.delete(ids.map(\.key), of: entity.entity)
            }
            for key in keys { try journal.setNote(.away, of: key, to: true) }
        }
    }
}

extension JournalWriting {
    /// Makes objects again from the records of locally removed objects.
    func restore(_ ids: [ObjectID], from news: [RemoteChange], _ settings: ApplySettings) throws -> StoreChanges {
        let away = try awayKeys().intersection(ids.map(\.key))
        for key in away { try removeNote(.away, of: key) }
        // Returning objects are new to this store.
        let states = try recordStates(for: Array(away))
        try putRecordStates(
            states.values.map { state in
                var state = state
                state.changeTag = nil
                return state
            })
        var applier = try RemoteChangeApplier(journal: self, settings: settings)
        applier.knownTags = { _ in .apply }
        return try applier.apply(news.filter { away.contains($0.key) }).changes
    }
}
