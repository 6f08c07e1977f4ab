import Backstitch
import BackstitchSupport
import CloudWire

/// Step C: applies a page of the zone's changes and its token, in one transaction.
package struct PageApplier: Sendable {
    let settings: ApplySettings
    let sweep: FullFetchTracker
    let clock: any WallClock

    /// Writes a page to the store.
    ///
    /// - Throws: ``SyncFailure`` of the kind `superseded` when the store's token has changed since the request;
    ///   otherwise the store's errors. Nothing is written then.
    func apply(_ page: FetchedPage, to store: any JournalingStore) throws -> AppliedChanges {
        try settings.leavingOutRefused { settings in
            try PageApplier(settings: settings, sweep: sweep, clock: clock).applyOnce(page, to: store)
        }
    }

    private func applyOnce(_ page: FetchedPage, to store: any JournalingStore) throws -> AppliedChanges {
        let outcome = try settings.generation.write(to: store) { journal in
            guard let outcome = try write(page, to: journal) else { throw SyncGeneration.superseded }
            return outcome
        }
        noteCommit(of: outcome)
        return outcome.applied
    }

    /// The result of a page: its changes and, during a full fetch, its records with the number of known ones.
    struct Outcome {
        var applied: AppliedChanges
        fileprivate var met: [ObjectKey] = []
        fileprivate var known = 0
        fileprivate let isSweeping: Bool
        fileprivate let isLast: Bool
    }

    /// Adds the page's records to a full fetch, after the end of the transaction.
    func noteCommit(of outcome: Outcome) {
        guard outcome.isSweeping else { return }
        sweep.add(outcome.met, known: outcome.known)
        if outcome.isLast { sweep.end() }
    }

    /// Writes a page within a transaction.
    ///
    /// - Parameter journal: The journal of the zone.
    /// - Returns: nil if the store's token has changed since the request; nothing is written then.
    func write(_ page: FetchedPage, to journal: any JournalWriting) throws -> Outcome? {
        guard try journal.value(of: .token) == page.base else { return nil }
        let sweepMode = try sweepMode(of: page, in: journal)
        let told = RemoteChange.list(page.records, zone: settings.zone)
        var news = told
        if !page.moreComing {
            let names = Set(told.map(\.name)), met = sweepMode.map { _ in sweep.seen }
            news += try recordsToTry(in: journal).filter { record in
                // Records that a full fetch has not met are deleted on the server.
                !names.contains(record.name) && met?.contains(record.key) ?? true
            }
        }
        if let followed = page.followed { news += try followed.departures(in: journal, zone: settings.zone) }
        let hasNewRights = try page.rights?.note(in: journal) ?? false
        var applier = try RemoteChangeApplier(journal: journal, settings: settings)
        applier.knownTags = { SweepMode.fate(ofKnown: $0, in: page, sweepMode) }
        applier.isRestored = sweepMode == .restored
        var outcome = Outcome(
            applied: try applier.apply(news), isSweeping: sweepMode != nil, isLast: !page.moreComing)
        if sweepMode != nil {
            outcome.met = told.filter { $0.record != nil }.map(\.key)
            // Shares are no objects, but they count as met.
            outcome.met += page.records.filter { $0.isShareOfRecord && !$0.deleted }.map {
                RecordName.key(of: $0.recordName, zone: settings.zone).key
            }
            outcome.known = outcome.met.count { applier.states[$0]?.changeTag != nil }
        }
        let hasNewShares = try journal.noteShares(in: page, told, isSweeping: sweepMode != nil, settings)
        outcome.applied.hasNewRights = hasNewShares || hasNewRights
        try journal.noteKeysRecord(in: page, settings)
        try journal.set(.token, to: page.token)
        try journal.keepAnchors(by: told)
        if page.moreComing { return outcome }
        if settings.isPublic {
            // The server was not asked for records outside the followed queries.
            try journal.remove(.sweep)
        } else if let sweepMode {
            try finishSweep(sweepMode, in: journal, lastKeys: outcome.met, outcome.known, &outcome.applied)
        }
        try settleTwins(in: journal, &outcome.applied)
        try OrphanSettler.settle(in: journal, settings, &outcome.applied)
        try journal.forgetEnded()
        try journal.set(.lastPull, to: clock.milliseconds())
        if try journal.has(.moved) { try journal.remove(.moved) }
        return outcome
    }

    /// Returns parked records whose obstacle is gone: an encryption key has arrived, or an object's key or unique
    /// values are free.
    private func recordsToTry(in journal: any JournalWriting) throws -> [RemoteChange] {
        let opened = try settings.ring.map { try journal.recordsWithNewKeys($0, zone: settings.zone) } ?? []
        let free = try TakenKeys(journal: journal, settings: settings).freeRecords()
        let unique = settings.model.hasUniqueness ? try journal.recordsWithFreeValues(settings) : []
        return opened + free + unique
    }

    /// Applies waiting records, whose unique values belonged to another object.
    private func settleTwins(in journal: any JournalWriting, _ applied: inout AppliedChanges) throws {
        guard settings.model.hasUniqueness else { return }
        var merger = try DuplicateMerger(journal: journal, settings: settings)
        try merger.settle()
        applied.add(merger.result)
    }

    /// Returns the mode of a full fetch; nil if there is none. Records the server's history with its first page. A new
    /// history means that the server has gone back to an earlier state.
    private func sweepMode(of page: FetchedPage, in journal: any JournalWriting) throws -> SweepMode? {
        let mode = try journal.value(of: .sweep)
        let known = try journal.value(of: .history)
        guard let history = page.history, history != known else { return mode }
        try journal.set(.history, to: history)
        guard mode != nil, known != nil else { return mode }
        try journal.setSweep(.restored)
        return .restored
    }

    /// Handles records that the server no longer has, after everything was read.
    private func finishSweep(
        _ mode: SweepMode, in journal: any JournalWriting, lastKeys: [ObjectKey], _ knownCount: Int,
        _ applied: inout AppliedChanges
    ) throws {
        let seen = sweep.seen.union(lastKeys)
        let missing = try journal.allRecordKeys().filter { !seen.contains($0) }
        if try !journal.knownLife().isProven(byMeeting: sweep.known + knownCount) {
            try journal.requireKnownRecords(among: seen)
        }
        try dropParked(in: journal, seen, &applied)
        if try journal.keepObjectShares(metIn: seen, settings) { applied.hasNewRights = true }
        let known = try missing.parts(of: 1_000).flatMap { chunk in
            try journal.recordStates(for: Array(chunk)).values.filter { $0.changeTag != nil }
        }
        applied.add(try MissingRecords(mode, settings).settle(known, in: journal))
        try journal.remove(.sweep)
    }

    /// Forgets parked records that the server no longer has. Inserts that met one of them stay, as edits do.
    private func dropParked(
        in journal: any JournalWriting, _ seen: Set<ObjectKey>, _ applied: inout AppliedChanges
    ) throws {
        let gone = try journal.dropParkedRecords(exceptFor: seen, zone: settings.zone)
        guard !gone.isEmpty else { return }
        let blocked = try journal.outbox(for: gone).values.filter { $0.kind == .insert && $0.blockedReason != nil }
        try journal.putOutbox(
            blocked.sorted { $0.objectID.key < $1.objectID.key }.map { entry in
                applied.conflicts.append(
                    SyncConflict(
                        objectID: entry.objectID, kind: .editedHereDeletedThere, keys: entry.fields.map(\.name),
                        winner: .client))
                var entry = entry
                entry.makeAnew()
                return entry
            })
        if !blocked.isEmpty { applied.hasUnsent = true }
    }
}
