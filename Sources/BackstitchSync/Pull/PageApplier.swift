import Backstitch

/// Step C: a page of the zone's changes and its token, in one transaction.
package struct PageApplier: Sendable {
    let settings: ApplySettings
    let sweep: SweepMemory
    let clock: any WallClock

    /// Writes a page.
    ///
    /// - Throws: ``SyncFailure`` of the kind `superseded` when the store has moved on from where the page was asked;
    ///   else what the store throws. Nothing is written then.
    func apply(_ page: FetchedPage, to store: any JournalingStore) throws -> AppliedChanges {
        try settings.leavingOutRefused { settings in
            try PageApplier(settings: settings, sweep: sweep, clock: clock).applyOnce(page, to: store)
        }
    }

    private func applyOnce(_ page: FetchedPage, to store: any JournalingStore) throws -> AppliedChanges {
        if settings.flaws.contains(.storesTokenFirst) {
            try store.writeJournal(author: SyncAuthor.name) { try $0.setText(page.token, for: SyncMetadata.token) }
        }
        let (applied, keys, isSweeping) = try store.writeJournal(author: SyncAuthor.name) { journal in
            guard
                try journal.text(for: SyncMetadata.token) == page.base || settings.flaws.contains(.storesTokenFirst)
            else {
                throw SyncFailure(
                    .superseded,
                    BackstitchError(
                        .saveConflict, "somebody else has synced the store meanwhile; the page is read again"))
            }
            let sweepMode = try journal.text(for: SyncMetadata.sweep)
            let news = ServerNews.list(page.records, zone: settings.zone)
            var applier = try NewsApplier(journal: journal, settings: settings)
            applier.skipsKnownTags = sweepMode != SweepMode.reapply.rawValue
            var applied = try applier.apply(news)
            let keys = sweepMode == nil ? [] : news.filter { $0.record != nil }.map(\.key)
            try journal.setText(page.token, for: SyncMetadata.token)
            if !page.moreComing {
                if sweepMode != nil { try finishSweep(in: journal, lastKeys: keys, &applied) }
                try settleTwins(in: journal, &applied)
                try journal.setNumber(clock.milliseconds(), for: SyncMetadata.lastPull)
                if try journal.metadata(for: SyncMetadata.firstSync) == nil {
                    try journal.setText("1", for: SyncMetadata.firstSync)
                }
            }
            return (applied, keys, sweepMode != nil)
        }
        if isSweeping {
            sweep.add(keys)
            if !page.moreComing { sweep.end() }
        }
        return applied
    }

    /// Brings in what has waited for this: objects whose unique values were another one's.
    private func settleTwins(in journal: any JournalWriting, _ applied: inout AppliedChanges) throws {
        guard settings.model.hasUniqueness else { return }
        var merger = try TwinMerger(journal: journal, settings: settings)
        try merger.settle()
        applied.add(merger.result)
    }

    /// Deletes what the server no longer has and nobody has changed here; changed objects are made anew on the server.
    private func finishSweep(
        in journal: any JournalWriting, lastKeys: [ObjectKey], _ applied: inout AppliedChanges
    ) throws {
        let seen = sweep.seen.union(lastKeys)
        let missing = try journal.allRecordKeys().filter { !seen.contains($0) }
        for chunk in missing.chunks(of: 1_000) {
            let states = try journal.recordStates(for: chunk).values.filter { $0.changeTag != nil }
            let entries = try journal.outbox(for: states.map(\.objectID.key))
            var notes = JournalNotes()
            var gone: [String: [ObjectKey]] = [:]
            for state in states {
                if var entry = entries[state.objectID.key] {
                    if entry.kind == .delete {
                        notes.goneEntries.append(state.objectID.key)
                        notes.goneStates.append(state.objectID.key)
                    } else {
                        // The server has forgotten who deleted it and when, so the edit stays; who wants to know is told.
                        applied.conflicts.append(
                            SyncConflict(
                                objectID: state.objectID, kind: .editedHereDeletedThere, keys: entry.fields.map(\.name),
                                winner: .client))
                        entry.kind = .insert
                        entry.blockedReason = nil
                        notes.entries.append(entry)
                        notes.states.append(
                            RecordState(objectID: state.objectID, foreignName: state.foreignName, changeTag: nil))
                    }
                } else if settings.flaws.contains(.resurrectsMissing) {
                    let sequence = try journal.lastTransactionNumber()
                    notes.entries.append(
                        OutboxEntry(
                            objectID: state.objectID, kind: .insert, sequence: sequence, firstSequence: sequence))
                    notes.goneStates.append(state.objectID.key)
                } else {
                    gone[state.objectID.entityName, default: []].append(state.objectID.key)
                    notes.goneStates.append(state.objectID.key)
                    applied.changes.deleted.append(state.objectID)
                }
            }
            for key in try journal.awayKeys().intersection(notes.goneStates) {
                try journal.setMetadata(nil, for: SyncMetadata.away(key))
            }
            for (name, keys) in gone.sorted(by: { $0.key < $1.key }) {
                if let entity = settings.model.entity(named: name) { try journal.delete(keys, of: entity.entity) }
            }
            try notes.write(to: journal)
        }
        try journal.setMetadata(nil, for: SyncMetadata.sweep)
    }
}

/// The author under which sync writes history.
package enum SyncAuthor {
    /// The author's name.
    package static let name = "backstitch.sync"
}

extension Array {
    /// The elements in pieces of up to `size`.
    func chunks(of size: Int) -> [[Element]] {
        stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
    }
}
