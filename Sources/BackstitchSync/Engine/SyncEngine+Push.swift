import Backstitch

extension SyncEngine {
    /// A running push: while one batch is sent, the next one is read, and the answer to the previous one is written.
    struct Push: Sendable {
        var isPreparing = false
        var ready: PushBatch?
        var sending: PushBatch?
        var answered: (batch: PushBatch, reply: PushReply)?
        var settling: PushBatch?
        /// The number of batches whose notes are being removed, because they were refused or never sent.
        var takingBack = 0
        /// Whether the outbox may hold entries that are in no batch.
        var mayHaveMore = true
        /// Whether a save happened whose changes may have been skipped by later reads, because their objects were in a
        /// running batch.
        var isSaveUnread = false
        var batches = 0
        /// The number of conflicts of each object's changes.
        var rounds: [ObjectKey: Int] = [:]
        /// Objects that are not sent again in this cycle.
        var deferred: Set<ObjectKey> = []
        /// Objects whose parents are missing on the server. They are sent once more after the zone was read.
        var parentless: Set<ObjectKey> = []
        var retryAfter: Int64?
        /// The reason why only deletions are sent: the server's quota is used up.
        var noRoom: SyncFailure?
        /// Whether the cycle ended its push before the outbox was empty.
        var isCutShort = false

        var isQuiet: Bool {
            !isPreparing && ready == nil && sending == nil && answered == nil && settling == nil && takingBack == 0
        }

        /// Objects whose entries are still in the outbox, but must not be read.
        var excluded: Set<ObjectKey> { underWay.reduce(into: deferred.union(parentless)) { $0.formUnion($1.keys) } }

        /// The batches whose results are not written yet.
        var underWay: [PushBatch] { [sending, settling, ready, answered?.batch].compactMap(\.self) }
    }

    /// Begins the push, or begins it again after a failure: the changes read or sent before are read again.
    mutating func startPush() {
        cycle?.phase = .pushing
        beginUploadsAgain()
        guard settings.sendsChanges else { return pushEnded() }
        guard let push = cycle?.push else { return }
        cycle?.push = Push(rounds: push.rounds, deferred: push.deferred, retryAfter: push.retryAfter)
        advancePush()
    }

    private mutating func advancePush() {
        // The server's answers are written even if another step has failed.
        settleAnswered()
        guard cycle?.failure == nil else { return endIfQuiet() }
        sendReady()
        prepareNext()
        guard let push = cycle?.push, push.isQuiet else { return }
        if push.isSaveUnread {
            cycle?.push.mayHaveMore = true
            return advancePush()
        }
        // The deletions have been sent. The others wait until there is room, which a deletion may have made.
        if let noRoom = push.noRoom { fail(noRoom) } else { pushEnded() }
    }

    private mutating func settleAnswered() {
        guard let push = cycle?.push, let answered = push.answered, push.settling == nil else { return }
        cycle?.push.answered = nil
        cycle?.push.settling = answered.batch
        begin(.settleBatch(answered.batch, answered.reply))
    }

    private mutating func sendReady() {
        guard let push = cycle?.push, let batch = push.ready, push.sending == nil, push.answered == nil else { return }
        cycle?.push.ready = nil
        cycle?.push.sending = batch
        begin(.sendBatch(batch))
    }

    private mutating func prepareNext() {
        guard let push = cycle?.push, push.mayHaveMore, !push.isPreparing, push.ready == nil, push.takingBack == 0
        else {
            return
        }
        guard push.batches < settings.batchesPerCycle else {
            cycle?.push.isCutShort = true
            cycle?.push.mayHaveMore = false
            cycle?.push.isSaveUnread = false
            return
        }
        if push.underWay.isEmpty { cycle?.push.isSaveUnread = false }
        cycle?.push.isPreparing = true
        cycle?.push.mayHaveMore = false
        begin(
            .prepareBatch(ceiling: ceiling, excluding: push.excluded, onlyDeletions: push.noRoom != nil))
    }

    mutating func batchPrepared(_ result: Result<PreparedBatch, SyncFailure>) {
        cycle?.push.isPreparing = false
        if case .failure(let failure) = result, failure.kind == .superseded { zone.answerLost() }
        if case .failure(let failure) = result, failure.kind == .noRoom, cycle?.push.noRoom == nil {
            // There was no room for the keys that the other changes need.
            cycle?.outstanding -= 1
            cycle?.push.mayHaveMore = true
            cycle?.push.noRoom = failure
            return advancePush()
        }
        guard let prepared = succeeded(result) else { return }
        cycle?.totals.summaryParts.blocked += prepared.blocked
        if prepared.isRotating { cycle?.isRotating = true }
        if prepared.mayMissAssets { assetsMayBeMissing() }
        hold(prepared.uploads)
        if let batch = prepared.batch {
            cycle?.push.ready = batch
            cycle?.push.batches += 1
            // A parallel step has failed.
            if cycle?.failure != nil { dropReady() }
        }
        if !prepared.isLast { cycle?.push.mayHaveMore = true }
        advancePush()
    }

    mutating func batchSent(_ result: Result<PushReply, SyncFailure>) {
        let batch = cycle?.push.sending
        cycle?.push.sending = nil
        if case .failure(let failure) = result, failure.tookNothing, let batch { takeBack(batch) }
        if case .failure(let failure) = result, failure.kind == .batchRefused, let batch {
            cycle?.outstanding -= 1
            return batchRefused(batch, failure)
        }
        if case .failure(let failure) = result, failure.kind == .noRoom, let batch {
            cycle?.outstanding -= 1
            return noRoom(for: batch, failure)
        }
        if case .failure(let failure) = result, failure.mayHideSuccess { zone.answerLost() }
        guard let reply = succeeded(result), let batch else { return }
        let told = refusingAgain(reply, of: batch)
        noteParents(of: batch, as: told)
        cycle?.push.answered = (batch, told)
        advancePush()
    }

    /// Records the known change tags of parents that the server lacks.
    private mutating func noteParents(of batch: PushBatch, as reply: PushReply) {
        for (item, answer) in zip(batch.items, reply.answers) {
            guard case .parentless = answer else { continue }
            cycle?.tagsOfParents.updateValue(item.parentTag, forKey: item.entry.objectID.key)
        }
    }

    /// Returns the reply with additional refusals. A change is refused if its parent is still missing after the zone
    /// was read for it. This does not apply to a parent that is still to be sent, or that has appeared or vanished
    /// since.
    private func refusingAgain(_ reply: PushReply, of batch: PushBatch) -> PushReply {
        guard let cycle, let read = cycle.readForParents else { return reply }
        var reply = reply
        for (index, item) in batch.items.enumerated() {
            guard case .parentless(let reason) = reply.answers[index], read.contains(item.entry.objectID.key) else {
                continue
            }
            if let parent = item.parent, read.contains(parent) || cycle.push.deferred.contains(parent) { continue }
            if let former = cycle.tagsOfParents[item.entry.objectID.key], former != item.parentTag { continue }
            reply.answers[index] = .refused(reason: reason)
        }
        return reply
    }

    /// Handles the refusal of a whole batch. The batch is halved, first into saves, then within one save, down to a
    /// single change. That change is then blocked.
    private mutating func batchRefused(_ batch: PushBatch, _ failure: SyncFailure) {
        dropReady()
        cycle?.push.mayHaveMore = true
        if batch.items.count > 1 {
            ceiling = BatchCeiling(halving: batch)
        } else {
            cycle?.push.answered = (batch, PushReply(refusing: batch, reason: failure.error.message))
        }
        advancePush()
    }

    /// Handles a full quota. There may be room for some of the batch's saves, and deletions need none.
    private mutating func noRoom(for batch: PushBatch, _ failure: SyncFailure) {
        dropReady()
        if cycle?.push.noRoom != nil {
            // There is no room even for deletions.
            cycle?.push.mayHaveMore = false
        } else if !batch.isOneSave {
            cycle?.push.mayHaveMore = true
            ceiling = BatchCeiling(halving: batch)
        } else {
            cycle?.push.mayHaveMore = true
            cycle?.push.noRoom = failure
        }
        advancePush()
    }

    /// Drops the batch that was read ahead.
    mutating func dropReady() {
        guard let batch = cycle?.push.ready else { return }
        cycle?.push.ready = nil
        takeBack(batch)
    }

    /// Removes the notes of a batch that the server certainly has not taken.
    private mutating func takeBack(_ batch: PushBatch) {
        cycle?.push.takingBack += 1
        begin(.takeBackAttempts(batch.attempts))
    }

    mutating func attemptsTakenBack(_ result: Result<Void, SyncFailure>) {
        cycle?.push.takingBack -= 1
        guard succeeded(result) != nil else { return }
        advancePush()
    }

    mutating func batchSettled(_ result: Result<SettledBatch, SyncFailure>) {
        cycle?.push.settling = nil
        // An answer that could not be written is treated like a lost one.
        if case .failure = result { zone.answerLost() }
        guard let settled = succeeded(result) else { return }
        noteProgress()
        cycle?.totals.add(settled)
        if settled.news.mayMissAssets { assetsMayBeMissing() }
        if settled.news.mayMove { cycle?.mayMove = true }
        if let small = ceiling?.changes, settled.sent > 0 {
            ceiling = small < 2_000 ? BatchCeiling(small * 2, cutsSaves: false) : nil
        }
        for key in settled.again {
            let rounds = (cycle?.push.rounds[key] ?? 0) + 1
            cycle?.push.rounds[key] = rounds
            if rounds >= settings.conflictRounds { cycle?.push.deferred.insert(key) }
        }
        cycle?.push.deferred.formUnion(settled.deferred)
        if cycle?.readForParents == nil {
            cycle?.push.parentless.formUnion(settled.parentless)
        } else {
            cycle?.push.deferred.formUnion(settled.parentless)
        }
        if let wait = settled.retryAfter {
            let longest = max(wait, cycle?.push.retryAfter ?? 0)
            cycle?.push.retryAfter = longest
        }
        // A batch that was read meanwhile has skipped the objects of this one.
        if !settled.untouched.isEmpty || !settled.changed.isEmpty { cycle?.push.mayHaveMore = true }
        if !settled.again.isEmpty {
            cycle?.pullsAgain = true
            cycle?.push.mayHaveMore = true
        }
        if let cycle {
            effects.append(.report(.progress(cycle.totals.progress(.pushing, moreComing: false))))
        }
        advancePush()
    }

    private mutating func pushEnded() {
        if let parentless = cycle?.push.parentless, !parentless.isEmpty {
            cycle?.readForParents = parentless
            return startPull()
        }
        cycle?.hasPushed = true
        cycle?.notePush()
        if cycle?.pullsAgain == true { startPull() } else { zoneFinished() }
    }
}
