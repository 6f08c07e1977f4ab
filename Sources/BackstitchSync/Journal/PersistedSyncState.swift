import Backstitch

/// The state of a store's sync, as the store remembers it when it is opened.
struct PersistedSyncState: Sendable {
    var isSetUp: Bool
    var isFirstSyncComplete: Bool
    var isZoneUnread: Bool
    var isOff: Bool
}

extension JournalingStore {
    /// Reads what is remembered, and adapts it where the store was opened with another zone, model or version before.
    ///
    /// - Parameter mayLeave: Given the zone that the store was synced with until now, throws where it is not to be
    ///   begun anew for another one.
    func openSync(
        scope: String, database: SyncDatabase = .private, model: SyncedModel,
        largestAsset: Int64 = SyncOptions.usualLargestAsset, mayLeave: (String) throws -> Void = { _ in }
    ) throws -> PersistedSyncState {
        let (knownScope, knownFingerprint) = try readJournal { journal in
            (try journal.value(of: .scope), try journal.value(of: .fingerprint))
        }
        let isUsual = largestAsset == SyncOptions.usualLargestAsset
        let fingerprint = model.fingerprint + (isUsual ? "" : ";assets up to \(largestAsset)")
        if let knownScope {
            if knownScope != scope {
                try mayLeave(knownScope)
                try begin(anew: model, from: SyncDatabase(ofScope: knownScope), in: database)
            }
        } else if try !readJournal({ try $0.isEmpty(model) }) {
            // A store that was a local one until now: what is in it is sent once.
            try begin(anew: model, from: .private, in: database)
        }
        if knownScope != scope || knownFingerprint != fingerprint {
            let isOurs = try writeJournal(author: SyncAuthor.name) { journal in
                // Somebody else may have come before.
                guard try journal.value(of: .scope) == knownScope else { return false }
                try journal.set(.scope, to: scope)
                if !database.hasMainZone { try journal.setReadOnly(true, zone: 0) }
                try journal.set(.fingerprint, to: fingerprint)
                // Records that were not understood, or are understood differently now, are read again.
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

    /// Has other zones take the place of those with which the store was synced until now.
    ///
    /// - Throws: ``BackstitchError/Code/invalidOption`` where objects of one's own would be in zones of others, or the
    ///   other way round.
    private func begin(anew model: SyncedModel, from former: SyncDatabase, in database: SyncDatabase) throws {
        guard former == database else {
            throw BackstitchError(
                .invalidOption,
                "option \"\(StoreOption.syncDatabase)\" is \"\(database.rawValue)\", and the store holds what belongs to the "
                    + "\(former.rawValue) database, where it would not stay; open another file for it",
                key: StoreOption.syncDatabase.rawValue)
        }
        if database == .private {
            try forgetZones(model)
        } else {
            // Objects of others are not this user's to send to another place.
            _ = try wipe(model, SyncGeneration())
        }
    }

    /// Returns the state that is remembered now.
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
