public import Backstitch

/// Changes that stay unsent, and records that cannot become objects.
///
/// ```swift
/// for change in try await sync.blocked.changes() { print(change.objectID, change.reason) }
/// try await sync.blocked.retry()
/// ```
public struct SyncBlocked: Sendable, SyncSubject {
    let sync: SyncController

    /// Returns blocked changes, oldest first: those that the server rejects, and those kept on this device because of
    /// their authors.
    public func changes() async throws -> [BlockedChange] {
        try await services.onWholeStore { store in
            try store.readJournal { try $0.blockedOutbox() }.map {
                BlockedChange(objectID: $0.objectID, kind: $0.kind, reason: $0.blockedReason ?? "")
            }
        }
    }

    /// Returns the records that cannot become objects of this model, in order of their names.
    public func parkedRecords() async throws -> [ParkedRecord] {
        try await services.onWholeStore { store in
            try store.readJournal { journal in
                try journal.allZones().flatMap { try ParkedRecords.all(in: ZoneReader(journal, $0)) }
            }
        }
    }

    /// Lets blocked changes be sent again, and begins a cycle.
    ///
    /// - Parameter ids: Their objects, including those whose changes stay on this device because of their authors. Nil
    ///   for all changes that the server rejected.
    public func retry(_ ids: [ObjectID]? = nil) async throws {
        let wanted = ids.map(Set.init)
        try await services.onWholeStore { store in
            try store.writeJournal(author: SyncAuthor.name) { journal in
                let entries = try journal.blockedOutbox().filter { wanted?.contains($0.objectID) ?? !$0.isHeld }
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

    /// Discards blocked changes: the objects take the server's values, and are deleted if the server does not have
    /// them. Objects without a blocked change stay as they are.
    ///
    /// - Throws: A ``BackstitchError`` when the server cannot be asked. Then no change is discarded, but objects that
    ///   were to move to another zone keep their zone.
    public func discard(_ ids: [ObjectID]) async throws {
        let names = try await services.onWholeStore { store in
            try store.writeJournal(author: SyncAuthor.name) { journal in
                let blocked = try journal.blockedOutbox().map(\.objectID).filter(Set(ids).contains)
                let places = try journal.zones(of: blocked.map(\.key))
                for id in blocked { try journal.endMove(of: id, inZone: places[id.key] ?? 0) }
                let states = try journal.recordStates(for: blocked.map(\.key))
                return blocked.map { (id: $0, name: states[$0.key]?.foreignName ?? $0.key.uuidString) }
            }
        }
        for (services, names) in try await services.services(ofZonesOf: names, by: \.id) {
            try await services.takeRecords(of: names) { try $0.discard($1, for: $2, $3) }
        }
    }
}

extension JournalWriting {
    /// Discards the blocked changes of these objects and takes the server's records instead.
    fileprivate func discard(_ ids: [ObjectID], for news: [RemoteChange], _ settings: ApplySettings) throws
        -> StoreChanges
    {
        // If the object was changed since then, its change is pending again and is not discarded.
        let entries = try outbox(for: ids.map(\.key)).filter { $0.value.blockedReason != nil }
        return try takeServers(
            news.filter { entries[$0.key] != nil }, inPlaceOf: Array(entries.values), settings
        ).changes.changes
    }
}
