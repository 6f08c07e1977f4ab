import Backstitch

/// The state of a store's sync, as stored before the store was opened.
struct PersistedSyncState: Sendable {
    var isSetUp: Bool
    var isFirstSyncComplete: Bool
    var isZoneUnread: Bool
    var isOff: Bool
}

extension JournalingStore {
    /// Reads the stored state. Adapts it if the store was opened before with another zone, model or version.
    ///
    /// - Parameter mayLeave: Receives the former zone of the store. It throws if the store must not begin anew with
    ///   another zone.
    func openSync(
        scope: String, database: SyncDatabase = .private, model: SyncedModel,
        largestAsset: Int64 = SyncOptions.usualLargestAsset, mayLeave: (String) throws -> Void = { _ in }
    ) throws -> PersistedSyncState {
        let (knownScope, knownFingerprint) = try readJournal { journal in
            (try journal.value(of: .scope), try journal.value(of: .fingerprint))
        }
        let isUsual = largestAsset == SyncOptions.usualLargestAsset
        let fingerprint =
            model.fingerprint + (isUsual ? "" : ";assets up to \(largestAsset)")
            + (database == .public ? ";creators" : "")
        if let knownScope {
            if knownScope != scope {
                try mayLeave(knownScope)
                try begin(anew: model, from: SyncDatabase(ofScope: knownScope), in: database)
            }
        } else if try !readJournal({ try $0.isEmpty(model) }) {
            // A local store becomes a synced one: its content is sent once.
            try begin(anew: model, from: .private, in: database)
        }
        if knownScope != scope || knownFingerprint != fingerprint {
            let isOurs = try writeJournal(author: SyncAuthor.name) { journal in
                // Another process may have done this before.
                guard try journal.value(of: .scope) == knownScope else { return false }
                try journal.set(.scope, to: scope)
                if !database.hasMainZone { try journal.setReadOnly(true, zone: 0) }
                try journal.set(.fingerprint, to: fingerprint)
                // Records may be understood now, or understood differently, so all are read again.
                if knownFingerprint != nil, knownFingerprint != fingerprint {
                    for zone in try journal.allZones() {
                        try ZoneWriter(journal, zone).remove(.token)
                        try ZoneWriter(journal, zone).setSweep(.reapply)
                    }
                    try journal.countStep()
                }
                return true
            }
            guard isOurs else {
                return try openSync(
                    scope: scope, database: database, model: model, largestAsset: largestAsset, mayLeave: mayLeave)
            }
        }
        try forgetRowlessChanges(model)
        return try syncMemory()
    }

    /// Puts new zones in the place of the former zones of the store.
    ///
    /// - Throws: ``BackstitchError/Code/invalidOption`` if the user's own objects would get into other users' zones, or
    ///   the reverse.
    private func begin(anew model: SyncedModel, from former: SyncDatabase, in database: SyncDatabase) throws {
        guard former == database else {
            throw BackstitchError(
                .invalidOption,
                "option \"\(StoreOption.syncDatabase)\" is \"\(database.rawValue)\", but the store holds objects "
                    + "of the \(former.rawValue) database; open another file for it",
                key: StoreOption.syncDatabase.rawValue)
        }
        if database == .private {
            try forgetZones(model)
        } else {
            // This user may not send the objects of other users to another place.
            _ = try wipe(model, SyncGeneration())
        }
    }

    /// Returns the state as it is stored now.
    func syncMemory() throws -> PersistedSyncState {
        try readJournal { journal in
            PersistedSyncState(
                isSetUp: try journal.has(.setUp),
                isFirstSyncComplete: try journal.has(.firstSync),
                isZoneUnread: try !journal.has(.token),
                isOff: try journal.has(.off))
        }
    }
}
