public import Backstitch

extension SyncController {
    /// The changes that the server does not take, and those that stay on this device because of their authors, oldest
    /// first.
    public func blockedChanges() async throws -> [BlockedChange] {
        try await services.onWholeStore { store in
            try store.readJournal { try $0.blockedOutbox() }.map {
                BlockedChange(objectID: $0.objectID, kind: $0.kind, reason: $0.blockedReason ?? "")
            }
        }
    }

    /// The records that cannot become objects of this model, in order of their names.
    public func parkedRecords() async throws -> [ParkedRecord] {
        try await services.onWholeStore { store in
            try store.readJournal { journal in
                try journal.allZones().flatMap { try ParkedRecords.all(in: ZoneReader(journal, $0)) }
            }
        }
    }

    /// Lets blocked changes be sent again, and begins a cycle.
    ///
    /// - Parameter ids: Their objects, also those whose changes stay on this device because of their authors; nil for
    ///   all that the server has not taken.
    public func retryBlocked(_ ids: [ObjectID]? = nil) async throws {
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

    /// Gives up blocked changes: the objects become what the server has, and are deleted where it has none. Objects
    /// without a blocked change stay as they are.
    ///
    /// - Throws: A ``BackstitchError`` when the server cannot be asked; no change is given up then, but objects that
    ///   were on their way to another zone are back in theirs.
    public func discardBlocked(_ ids: [ObjectID]) async throws {
        let names = try await services.onWholeStore { store in
            try store.writeJournal(author: SyncAuthor.name) { journal in
                let blocked = try journal.blockedOutbox().map(\.objectID).filter(Set(ids).contains)
                // The server has those where they came from that it does not take where they were to go.
                for (key, zone) in try journal.zonesOfAll(blocked.map(\.key)) {
                    try journal.takeBackMoves(to: zone, givenUp: [key])
                }
                for id in blocked { try journal.removeNote(.onward, of: id.key) }
                let states = try journal.recordStates(for: blocked.map(\.key))
                return blocked.map { (id: $0, name: states[$0.key]?.foreignName ?? $0.key.uuidString) }
            }
        }
        for (services, names) in try await services.services(ofZonesOf: names, by: \.id) {
            try await services.takeRecords(of: names) { try $0.discard($1, for: $2, $3) }
        }
    }
}

extension JournalReading {
    /// The zones of objects, those in the main one among them.
    fileprivate func zonesOfAll(_ keys: [ObjectKey]) throws -> [ObjectKey: Int64] {
        let zones = try zones(of: keys)
        return Dictionary(keys.map { ($0, zones[$0] ?? 0) }) { first, _ in first }
    }
}

extension JournalWriting {
    /// Drops what is blocked of these objects and takes the server's records in its place.
    fileprivate func discard(_ ids: [ObjectID], for news: [RemoteChange], _ settings: ApplySettings) throws
        -> StoreChanges
    {
        // Changed since: it waits again, and is no longer what was to be given up.
        let entries = try outbox(for: ids.map(\.key)).filter { $0.value.blockedReason != nil }
        let changes = try takeServers(
            news.filter { entries[$0.key] != nil }, inPlaceOf: Array(entries.values), settings
        ).changes.changes
        // The mark goes as well of what was to move.
        for id in entries.values.map(\.objectID).sorted() {
            let note = try note(.moves, of: ZonedKey(zone: settings.zoneNumber, key: id.key))
            if case .wanted(to: nil)? = note?.state { try takeMarkBack(of: id, inZone: settings.zoneNumber) }
        }
        return changes
    }
}
