import Backstitch
import CloudWire

/// Step B: writes the server's answer to a batch, in one transaction. Accepted changes are acknowledged. Changes that
/// met another version are merged with it. Refused changes are blocked.
struct BatchSettler: Sendable {
    let settings: ApplySettings
    let clock: any WallClock
    /// The time of the notes about windows.
    let time: SteadyTime

    /// Writes the result of a batch.
    ///
    /// - Throws: ``SyncFailure`` of the kind `superseded` if another process has synced the store since the batch was
    ///   built; otherwise the store's errors. Nothing is written then: the answer counts as lost, and the batch may be
    ///   sent again.
    func settle(_ batch: PushBatch, _ reply: PushReply, in store: any JournalingStore) throws -> SettledBatch {
        try settings.leavingOutRefused { settings in
            try write(batch, reply, in: store, settings)
        }
    }

    private func write(
        _ batch: PushBatch, _ reply: PushReply, in store: any JournalingStore, _ settings: ApplySettings
    ) throws -> SettledBatch {
        try settings.generation.write(to: store) { journal in
            var settlement = try Settlement(of: batch, in: journal, settings: settings)
            for (item, answer) in zip(batch.items, reply.answers) { settlement.take(answer, for: item) }
            settlement.judgeUntouched(of: batch)
            settlement.deletedBefore = reply.deletedBefore
            try settlement.write(at: time.milliseconds())
            try journal.keepAnchors(of: reply)
            if settlement.result.sent > 0 {
                try journal.set(.lastPush, to: clock.milliseconds())
            }
            return settlement.result
        }
    }
}

/// The result of a batch while it is being written.
private struct Settlement {
    private let journal: any JournalWriting
    private let settings: ApplySettings
    private let current: [ObjectKey: OutboxEntry]
    private let states: [ObjectKey: RecordState]
    private var pushes: InFlightPushes
    private let pushesBefore: InFlightPushes
    /// Inserts with a clear answer: it is now known whether the server has them.
    private var answeredInserts: [ObjectKey] = []
    private var notes = JournalWriteBatch()
    private var news: [RemoteChange] = []
    private var conflicting: [ObjectKey: PushItem] = [:]
    /// Changes that the server took without their lost assets.
    private var incomplete: [PushItem] = []
    private var withdrawn: [ObjectKey] = []
    private var ended: [ObjectKey] = []
    /// Objects deleted by this device whose records were already gone.
    var deletedBefore: Set<ObjectKey> = []
    private var reversal = Reversal()
    private var held: [ObjectKey] = []
    /// Objects whose changes the present token does not allow.
    private var unauthorized: [ObjectKey] = []
    private var sealings: [(ObjectKey, RecordSealing)] = []
    /// The objects that have moved to the zone.
    private var moved: [PushItem] = []
    private(set) var result = SettledBatch()

    init(of batch: PushBatch, in journal: any JournalWriting, settings: ApplySettings) throws {
        self.journal = journal
        self.settings = settings
        let keys = batch.keys
        current = try journal.outbox(for: keys)
        states = try journal.recordStates(for: keys)
        pushes = try journal.inFlightPushes()
        pushesBefore = pushes
    }

    mutating func take(_ answer: PushReply.Answer, for item: PushItem) {
        let key = item.entry.objectID.key
        if item.makesRecord, answer.tells(of: item) { answeredInserts.append(key) }
        switch answer {
        case .done(let tag):
            result.sent += 1
            pushes.remove([key])
            acknowledge(item, tag: tag)
        case .conflict(let record):
            conflicting[key] = item
            if item.operation.operationType.isDeletion {
                if record == nil { ended.append(key) } else { pushes[key] = item.earlierTraces }
            }
            let name = item.operation.record.recordName
            news.append(
                record.map { RemoteChange($0, zone: settings.zone) }
                    ?? RemoteChange(deleted: name, isReported: true, zone: settings.zone)
            )
        case .moved(let zone):
            pushes[key] = item.earlierTraces
            conflicting[key] = item
            let name = item.operation.record.recordName
            news.append(RemoteChange(deleted: name, isReported: true, movedTo: zone, zone: settings.zone))
        case .refused(let reason):
            pushes[key] = item.earlierTraces
            block(item, reason)
        case .held(let reason):
            pushes[key] = item.earlierTraces
            block(item, reason)
            held.append(key)
        case .denied(let reason, let record) where settings.isOfOthers: takeBack(item, reason, record)
        case .unauthorized(let reason), .denied(let reason, _):
            pushes[key] = item.earlierTraces
            block(item, reason)
            unauthorized.append(key)
        case .later(let wait):
            pushes[key] = item.earlierTraces
            result.deferred.append(key)
            if let wait { result.retryAfter = max(wait, result.retryAfter ?? 0) }
        case .parentless:
            pushes[key] = item.earlierTraces
            result.parentless.append(key)
        case .untouched:
            pushes[key] = item.earlierTraces
            result.untouched.append(key)
        }
    }

    /// Records that the server has the pushed values; later changes are still to be sent.
    private mutating func acknowledge(_ item: PushItem, tag: String?) {
        let id = item.entry.objectID
        let isDeleted = item.operation.operationType.isDeletion
        if isDeleted {
            ended.append(id.key)
            if item.operation.operationType == .forceDelete { withdrawn.append(id.key) }
            if let name = states[id.key]?.foreignName, current[id.key].map({ $0.kind != .delete }) ?? false {
                notes.states.append(RecordState(objectID: id, foreignName: name, changeTag: nil))
            } else {
                notes.goneStates.append(id.key)
            }
        } else {
            var state = states[id.key] ?? RecordState(objectID: id, changeTag: nil)
            state.changeTag = tag
            if item.departure != nil {
                // A foreign name is valid only in its own zone.
                state.foreignName = nil
                moved.append(item)
            }
            // A field recorded as unread is read when the feed sends the record, even though its tag is known then.
            state.unknownFields = LargeFields.changing(
                state.unknownFields, by: item.largeFields.merging(item.unread) { $1 },
                of: item.operation.record.recordName)
            notes.states.append(state)
            if let sealing = item.sealing { sealings.append((id.key, sealing)) }
            if !item.lostAssets.isEmpty { incomplete.append(item) }
        }
        guard var entry = current[id.key] else { return }
        let isSent = entry.sequence == item.entry.sequence
        if isSent || isDeleted && entry.kind == .delete {
            return notes.goneEntries.append(id.key)
        }
        if isDeleted {
            // The object was created again while the deletion was being sent: the server has no such record now.
            entry.kind = .insert
            entry.fields = []
            notes.entries.append(entry)
        } else if entry.kind != .delete {
            entry.kind = .update
            entry.fields = entry.fields.filter { $0.sequence > item.entry.sequence }
            for index in entry.fields.indices {
                if let base = item.contentThen(of: entry.fields[index].name) { entry.fields[index].base = base }
            }
            if entry.fields.isEmpty { return notes.goneEntries.append(id.key) }
            notes.entries.append(entry)
        } else {
            // The object was deleted while its change was being sent: the server has the changed values now.
            for index in entry.fields.indices {
                if let base = item.contentThen(of: entry.fields[index].name) {
                    entry.fields[index].base = base.digested
                }
            }
            notes.entries.append(entry)
        }
        result.changed.append(id.key)
    }

    private mutating func block(_ item: PushItem, _ reason: String) {
        let id = item.entry.objectID
        // A later change has not been refused yet.
        guard var entry = current[id.key], entry.sequence == item.entry.sequence else {
            return result.again.append(id.key)
        }
        entry.blockedReason = reason
        notes.entries.append(entry)
        result.blocked.append(BlockedChange(objectID: id, kind: entry.kind, reason: reason))
    }

    /// Reverts a change that the user has no right to make.
    private mutating func takeBack(_ item: PushItem, _ reason: String, _ record: WireRecord?) {
        let id = item.entry.objectID
        // The object was to become local, and never was on the server.
        if record == nil, item.operation.operationType.isDeletion, item.entry.kind != .delete {
            pushes.remove([id.key])
            if current[id.key]?.sequence == item.entry.sequence { notes.goneEntries.append(id.key) }
            return
        }
        // A later change has not been denied yet.
        guard let entry = current[id.key], entry.sequence == item.entry.sequence else {
            pushes[id.key] = item.earlierTraces
            return result.again.append(id.key)
        }
        // The record was fetched, so it is known whether an earlier push has arrived.
        pushes.remove([id.key])
        if item.makesRecord { answeredInserts.append(id.key) }
        let name = item.operation.record.recordName
        reversal.add(
            entry, reason,
            record.map { RemoteChange($0, zone: settings.zone) } ?? RemoteChange(deleted: name, zone: settings.zone))
    }

    /// Treats an answer without any result or reason as no progress.
    mutating func judgeUntouched(of batch: PushBatch) {
        guard result.untouched.count == batch.items.count else { return }
        result.again += result.untouched
        result.untouched = []
    }

    /// - Parameter now: The steady time in milliseconds since 1970.
    mutating func write(at now: Int64) throws {
        try notes.write(to: journal, settings.model)
        if pushes != pushesBefore { try journal.set(.inFlight, to: pushes) }
        if !answeredInserts.isEmpty {
            var unanswered = try journal.unansweredInserts()
            unanswered.remove(answeredInserts)
            try journal.set(.unanswered, to: unanswered)
        }
        try writeMoves()
        for key in held { try journal.setNote(.heldUpload, of: key, to: true) }
        for key in unauthorized { try journal.setNote(.unauthorized, of: key, to: true) }
        for (key, sealing) in sealings { try journal.setNote(.sealing, of: SealingSubject(key), to: sealing) }
        if !news.isEmpty { try mergeConflicts() }
        try reversal.write(to: journal, settings, &result.news)
        try replaceLostAssets()
        if !withdrawn.isEmpty { try noteWithdrawn(at: now) }
        try forgetInserts(of: ended)
        try journal.noteEnded(ended)
        guard settings.followsMoves, settings.mayMove, !settings.reportsMoves, !deletedBefore.isEmpty else { return }
        result.news.mayMove = true
        for key in deletedBefore.sorted() { try journal.setNote(.deletedBefore, of: key, to: true) }
    }

    /// Forgets unanswered inserts of deleted objects: a later record of such an object does not come from them.
    private func forgetInserts(of deleted: [ObjectKey]) throws {
        guard !deleted.isEmpty else { return }
        var unanswered = try journal.unansweredInserts()
        let before = unanswered
        unanswered.remove(deleted)
        if unanswered != before { try journal.set(.unanswered, to: unanswered) }
    }

    private mutating func replaceLostAssets() throws {
        var replacement = LostAssetReplacement(settings.model, settings.assets, settings.automaticAssets)
        for item in incomplete {
            let name = item.operation.record.recordName
            try replacement.replace(item.lostAssets, of: item.entry.objectID, recordName: name, in: journal)
        }
        result.news.changes.updated += replacement.changes.updated
        if replacement.mayMissAssets { result.news.mayMissAssets = true }
    }

    private func noteWithdrawn(at now: Int64) throws {
        guard settings.isPublic else { return try journal.noteWithdrawn(withdrawn, at: now) }
        // In the public database each record is asked for, and no other device restores lost records of a zone.
        let unanswered = try journal.unansweredInserts().sequences
        try journal.noteWithdrawn(withdrawn.filter { unanswered[$0] != nil }, at: now)
    }

    private mutating func writeMoves() throws {
        for item in moved {
            guard let departure = item.departure else { continue }
            let id = item.entry.objectID, former = ZonedKey(zone: departure.zone, key: id.key)
            let next = try journal.move(of: former)?.wanted?.to
            try journal.setMove(of: former, to: nil)
            // The program may have moved it on meanwhile.
            let isOnward = next.map { $0 != settings.zoneNumber } ?? false
            try journal.setMove(
                of: ZonedKey(zone: settings.zoneNumber, key: id.key),
                to: next.flatMap {
                    isOnward ? MoveNote(entityName: id.entityName, state: .wanted(WantedMove(to: $0))) : nil
                })
        }
        if try journal.noteAstray(
            childrenOf: moved.map(\.entry.objectID.key), inZone: settings.zoneNumber, settings.model)
        {
            result.news.mayMove = true
        }
    }

    private mutating func mergeConflicts() throws {
        var applier = try RemoteChangeApplier(journal: journal, settings: settings)
        applier.knownTags = { _ in .apply }
        applier.conflicting = conflicting
        let mayMove = result.news.mayMove
        result.news = try applier.apply(news)
        result.news.mayMove = mayMove || result.news.mayMove
        result.blocked += result.news.blocked
        result.news.blocked = []
        let left = try journal.outbox(for: news.map(\.key))
        var blocked: [OutboxEntry] = []
        for item in news {
            guard var entry = left[item.key] else { continue }
            // The change is blocked because its conflict could not be decided, and was already reported.
            if entry.blockedReason != nil { continue }
            if let reason = applier.parkedKeys[item.key] {
                entry.blockedReason = "the server's record cannot be merged: \(reason)"
                blocked.append(entry)
                result.blocked.append(
                    BlockedChange(objectID: entry.objectID, kind: entry.kind, reason: entry.blockedReason ?? reason))
            } else {
                result.again.append(item.key)
            }
        }
        if !blocked.isEmpty { try journal.putOutbox(blocked) }
    }
}

extension PushReply.Answer {
    /// Returns whether the answer shows if the server has the record.
    fileprivate func tells(of item: PushItem) -> Bool {
        switch self {
        case .done, .conflict, .moved: true
        case .refused, .held, .unauthorized, .denied, .later, .parentless, .untouched: !item.mayHaveArrived
        }
    }
}
