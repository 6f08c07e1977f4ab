import Backstitch

/// Changes of outbox and record states, collected to be written at once.
struct JournalWriteBatch {
    var states: [RecordState] = []
    var goneStates: [ObjectKey] = []
    var entries: [OutboxEntry] = []
    var goneEntries: [ObjectKey] = []

    func write(to journal: any JournalWriting) throws {
        if !states.isEmpty { try journal.putRecordStates(states) }
        if !goneStates.isEmpty { try journal.removeRecordStates(goneStates) }
        if !entries.isEmpty { try journal.putOutbox(entries) }
        if !goneEntries.isEmpty { try journal.removeOutbox(goneEntries) }
    }
}
