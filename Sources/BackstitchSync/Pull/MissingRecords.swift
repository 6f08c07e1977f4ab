import Backstitch
import BackstitchSupport

/// Handles records that a full fetch has not met. Unchanged objects are deleted here. Changed objects are created again
/// on the server. So are all objects if the server has lost them by going back to an earlier state.
struct MissingRecords {
    private let mode: SweepMode
    private let settings: ApplySettings
    /// Whether all zones were read, so that a missing record has not moved.
    private let isEveryZoneRead: Bool

    init(_ mode: SweepMode, _ settings: ApplySettings, isEveryZoneRead: Bool = false) {
        (self.mode, self.settings, self.isEveryZoneRead) = (mode, settings, isEveryZoneRead)
    }

    /// - Parameter journal: The journal of the zone.
    func settle(_ states: [RecordState], in journal: any JournalWriting) throws -> AppliedChanges {
        var applied = AppliedChanges()
        for part in states.parts(of: 1_000) {
            if mode == .restored {
                try resend(Array(part), in: journal, &applied)
            } else if settings.followsMoves, !isEveryZoneRead {
                try doubt(Array(part), in: journal, &applied)
            } else {
                try delete(Array(part), in: journal, &applied)
            }
        }
        return applied
    }

    /// Keeps the objects until all zones were read: they may have moved, and the server may have forgotten that.
    private func doubt(
        _ states: [RecordState], in journal: any JournalWriting, _ applied: inout AppliedChanges
    ) throws {
        for state in states {
            let subject = ZonedKey(zone: settings.zoneNumber, key: state.objectID.key)
            var gone = GoneRecord(isMissing: true)
            switch try journal.move(of: subject)?.state {
            case .gone(let known): gone = known
            case .wanted(let wanted) where !wanted.sent.isEmpty:
                (gone.isOwnMove, gone.then, gone.copy) = (true, wanted.to, wanted.copy)
            case .wanted, .second, .leftover, .followsParent, nil: break
            }
            try journal.setMove(of: subject, to: MoveNote(entityName: state.objectID.entityName, state: .gone(gone)))
        }
        applied.mayMove = true
    }

    private func delete(
        _ states: [RecordState], in journal: any JournalWriting, _ applied: inout AppliedChanges
    ) throws {
        let entries = try journal.outbox(for: states.map(\.objectID.key))
        var notes = JournalWriteBatch()
        var gone: [String: [ObjectKey]] = [:]
        let edited = entries.values.filter { $0.kind != .delete && !$0.hasNoEdits }
        let isTakenBack = try !edited.isEmpty && journal.isSeenInPart(settings)
        if isTakenBack {
            applied.reverted += try journal.reverted(
                edited.sorted { $0.objectID.key < $1.objectID.key }, settings.model
            ) { _ in RevertedChange.outOfSight }
        }
        for state in states {
            if var entry = entries[state.objectID.key], !entry.hasNoEdits, entry.kind == .delete || !isTakenBack {
                if entry.kind == .delete {
                    notes.goneEntries.append(state.objectID.key)
                    notes.goneStates.append(state.objectID.key)
                } else {
                    // The server no longer knows the author and time of the deletion, so the edit stays and a conflict
                    // is reported.
                    applied.conflicts.append(
                        SyncConflict(
                            objectID: state.objectID, kind: .editedHereDeletedThere, keys: entry.fields.map(\.name),
                            winner: .client))
                    entry.makeAnew()
                    notes.entries.append(entry)
                    notes.states.append(
                        RecordState(objectID: state.objectID, foreignName: state.foreignName, changeTag: nil))
                }
            } else {
                gone[state.objectID.entityName, default: []].append(state.objectID.key)
                notes.goneEntries.append(state.objectID.key)
                notes.goneStates.append(state.objectID.key)
                applied.changes.deleted.append(state.objectID)
            }
        }
        try journal.forgetTraces(of: notes.goneEntries)
        for key in try journal.awayKeys().intersection(notes.goneStates) { try journal.removeNote(.away, of: key) }
        for (name, keys) in gone.sorted(by: { $0.key < $1.key }) {
            if let entity = settings.model.entity(named: name) { try journal.delete(keys, of: entity.entity) }
        }
        try notes.write(to: journal, settings.model)
    }

    /// Adds records that the server has lost to the outbox. Objects that were only removed here have nothing to send.
    private func resend(
        _ states: [RecordState], in journal: any JournalWriting, _ applied: inout AppliedChanges
    ) throws {
        var applier = try RemoteChangeApplier(journal: journal, settings: settings)
        let away = try journal.awayKeys()
        let sequence = try journal.lastTransactionNumber()
        applier.entries = try journal.outbox(for: states.map(\.objectID.key))
        for state in states.sorted(by: { $0.objectID.key < $1.objectID.key }) {
            if away.contains(state.objectID.key) {
                applier.notes.goneStates.append(state.objectID.key)
                try journal.removeNote(.away, of: state.objectID.key)
            } else {
                try applier.resendWhole(state, sequence)
                applied.hasUnsent = true
            }
        }
        try applier.notes.write(to: journal, settings.model)
    }
}
