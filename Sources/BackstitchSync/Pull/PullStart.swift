import Backstitch

extension JournalingStore {
    /// The token from which a pull begins; nil for the beginning. A full fetch that a restart interrupted begins again.
    func beginPull(_ sweep: SweepMemory) throws -> String? {
        let (token, mode) = try readJournal { journal in
            (try journal.text(for: SyncMetadata.token), try journal.text(for: SyncMetadata.sweep))
        }
        guard mode != nil, !sweep.isActive else { return token }
        try writeJournal(author: SyncAuthor.name) { journal in
            if token != nil { try journal.setMetadata(nil, for: SyncMetadata.token) }
            try journal.dropWaitingRecords()
        }
        sweep.begin()
        return nil
    }

    /// Forgets how far one has read, so that the next pull reads everything, and finds what was deleted meanwhile.
    func beginFullFetch(_ mode: SweepMode, _ sweep: SweepMemory) throws {
        try writeJournal(author: SyncAuthor.name) { journal in
            try journal.setMetadata(nil, for: SyncMetadata.token)
            // What was to be read differently still is, whatever else asks for everything again.
            let isKept = try journal.text(for: SyncMetadata.sweep) == SweepMode.reapply.rawValue
            if !isKept { try journal.setText(mode.rawValue, for: SyncMetadata.sweep) }
            try journal.dropWaitingRecords()
        }
        sweep.begin()
    }
}
