public import Backstitch

extension SyncController {
    /// The changes that the server does not take, oldest first.
    public func blockedChanges() async throws -> [BlockedChange] {
        try await services.onStore { store in
            try store.readJournal { try $0.blockedOutbox() }.map {
                BlockedChange(objectID: $0.objectID, kind: $0.kind, reason: $0.blockedReason ?? "")
            }
        }
    }

    /// The records that cannot become objects of this model, in order of their names.
    public func parkedRecords() async throws -> [ParkedRecord] {
        try await services.onStore { store in try store.readJournal(ParkedRecords.all) }
    }

    /// Lets blocked changes be sent again, all of them or those of some objects, and begins a cycle.
    public func retryBlocked(_ ids: [ObjectID]? = nil) async throws {
        let wanted = ids.map(Set.init)
        try await services.onStore { store in
            try store.writeJournal(author: SyncAuthor.name) { journal in
                let entries = try journal.blockedOutbox().filter { wanted?.contains($0.objectID) ?? true }
                try journal.putOutbox(
                    entries.map { entry in
                        var entry = entry
                        entry.blockedReason = nil
                        return entry
                    })
            }
        }
        driver.tell(.trigger(.localSave, ticket: nil))
    }

    /// Gives up blocked changes: the objects become what the server has, and are deleted where it has none. Objects
    /// without a blocked change stay as they are.
    ///
    /// - Throws: A ``BackstitchError`` when the server cannot be asked; nothing is given up then.
    public func discardBlocked(_ ids: [ObjectID]) async throws {
        let settings = services.settings
        let names = try await services.onStore { store in
            try store.readJournal { journal in
                let blocked = try journal.blockedOutbox().map(\.objectID).filter(Set(ids).contains)
                let states = try journal.recordStates(for: blocked.map(\.key))
                return blocked.map { (id: $0, name: states[$0.key]?.foreignName ?? $0.key.uuidString) }
            }
        }
        for chunk in names.chunks(of: 200) {
            let records: [ServerNews]
            do {
                records = try await zip(chunk, services.client.records(named: chunk.map(\.name))).map { item, record in
                    record.map { ServerNews($0, zone: settings.zone) }
                        ?? ServerNews(deleted: item.name, zone: settings.zone)
                }
            } catch { throw SyncFailure(any: error).error }
            let ids = chunk.map(\.id)
            try await services.onStore { [services] store in
                services.announce(try store.discard(ids, for: records, settings))
            }
        }
    }
}

extension JournalingStore {
    /// Drops what is blocked of these objects and takes the server's records in its place.
    fileprivate func discard(_ ids: [ObjectID], for news: [ServerNews], _ settings: ApplySettings) throws
        -> StoreChanges
    {
        try writeJournal(author: SyncAuthor.name) { journal in
            // Changed since: it waits again, and is no longer what was to be given up.
            let entries = try journal.outbox(for: ids.map(\.key)).filter { $0.value.blockedReason != nil }
            try journal.removeOutbox(Array(entries.keys))
            let states = try journal.recordStates(for: Array(entries.keys))
            // An object that never was on the server has no state by which its deletion would be understood.
            try journal.putRecordStates(
                entries.values.filter { states[$0.objectID.key] == nil }.map {
                    RecordState(objectID: $0.objectID, changeTag: nil)
                })
            var applier = try NewsApplier(journal: journal, settings: settings)
            applier.skipsKnownTags = false
            return try applier.apply(news.filter { entries[$0.key] != nil }).changes
        }
    }
}
