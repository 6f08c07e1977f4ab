import Backstitch

/// What a store remembers of its sync when it is opened.
struct SyncMemory: Sendable {
    var isSetUp: Bool
    var isFirstSyncComplete: Bool
    var isOff: Bool
}

extension JournalingStore {
    /// Reads what is remembered, and adapts it where the store was opened with another zone, model or version before.
    func openSync(scope: String, model: SyncedModel) throws -> SyncMemory {
        let (knownScope, knownFingerprint) = try readJournal { journal in
            (try journal.text(for: SyncMetadata.scope), try journal.text(for: SyncMetadata.fingerprint))
        }
        let fingerprint = model.fingerprint
        if let knownScope {
            if knownScope != scope { try forgetZone(model) }
        } else if try !readJournal({ try $0.isEmpty(model) }) {
            // A store that was a local one until now: what is in it is sent once.
            try forgetZone(model)
        }
        if knownScope != scope || knownFingerprint != fingerprint {
            try writeJournal(author: SyncAuthor.name) { journal in
                try journal.setText(scope, for: SyncMetadata.scope)
                try journal.setText(fingerprint, for: SyncMetadata.fingerprint)
                // What was not understood, or is understood differently now, is read again.
                if knownFingerprint != nil, knownFingerprint != fingerprint {
                    try journal.setMetadata(nil, for: SyncMetadata.token)
                    try journal.setText(SweepMode.reapply.rawValue, for: SyncMetadata.sweep)
                }
            }
        }
        return try syncMemory()
    }

    /// What is remembered now.
    func syncMemory() throws -> SyncMemory {
        try readJournal { journal in
            SyncMemory(
                isSetUp: try journal.metadata(for: SyncMetadata.setUp) != nil,
                isFirstSyncComplete: try journal.metadata(for: SyncMetadata.firstSync) != nil,
                isOff: try journal.metadata(for: SyncMetadata.off) != nil)
        }
    }
}
