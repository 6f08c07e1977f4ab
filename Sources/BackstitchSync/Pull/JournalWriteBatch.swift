import Backstitch

/// Changes of outbox and record states, collected for one write.
struct JournalWriteBatch {
    var states: [RecordState] = []
    var goneStates: [ObjectKey] = []
    var entries: [OutboxEntry] = []
    var goneEntries: [ObjectKey] = []

    func write(to journal: any JournalWriting, _ model: SyncedModel) throws {
        if !states.isEmpty { try journal.putRecordStates(states) }
        // A state without a tag means that the object's record is gone, or does not exist yet.
        let missing = states.filter { $0.changeTag == nil }.map(\.objectID.key)
        if !missing.isEmpty { try journal.forgetFacts(of: missing, model) }
        if !goneStates.isEmpty { try journal.endRecords(goneStates, model) }
        if !entries.isEmpty { try journal.putOutbox(entries) }
        if !goneEntries.isEmpty { try journal.removeOutbox(goneEntries) }
    }
}

extension JournalWriting {
    /// Forgets deleted records together with their notes.
    func endRecords(_ keys: [ObjectKey], _ model: SyncedModel) throws {
        try removeRecordStates(keys)
        try forgetFacts(of: keys, model)
    }

    /// Forgets the notes of records, and their creators.
    fileprivate func forgetFacts(of keys: [ObjectKey], _ model: SyncedModel) throws {
        try forgetSealings(of: keys, model)
        try removeCreators(keys)
    }
}
