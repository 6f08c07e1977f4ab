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
        scope: String, model: SyncedModel, largestAsset: Int64 = SyncOptions.usualLargestAsset,
        mayLeave: (String) throws -> Void = { _ in }
    ) throws -> PersistedSyncState {
        let (knownScope, knownFingerprint) = try readJournal { journal in
            (try journal.value(of: .scope), try journal.value(of: .fingerprint))
        }
        let isUsual = largestAsset == SyncOptions.usualLargestAsset
        let fingerprint = model.fingerprint + (isUsual ? "" : ";assets up to \(largestAsset)")
        if let knownScope {
            if knownScope != scope {
                try mayLeave(knownScope)
                try forgetZones(model)
            }
        } else if try !readJournal({ try $0.isEmpty(model) }) {
            // A store that was a local one until now: what is in it is sent once.
            try forgetZones(model)
        }
        if knownScope != scope || knownFingerprint != fingerprint {
            let isOurs = try writeJournal(author: SyncAuthor.name) { journal in
                // Somebody else may have come before.
                guard try journal.value(of: .scope) == knownScope else { return false }
                try journal.set(.scope, to: scope)
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
                return try openSync(scope: scope, model: model, largestAsset: largestAsset, mayLeave: mayLeave)
            }
        }
        try forgetRowlessChanges(model)
        return try syncMemory()
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
