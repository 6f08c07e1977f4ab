import Backstitch

extension SyncEngine {
    /// A push under way: while one batch is sent, the next one is read, and the one before is acknowledged.
    struct Push: Sendable {
        var isPreparing = false
        var ready: PushBatch?
        var sending: PushBatch?
        var answered: (batch: PushBatch, reply: PushReply)?
        var settling: PushBatch?
        /// How many batches' notes are being taken back, because they were not taken, or never sent.
        var takingBack = 0
        /// Whether the outbox may hold entries that no batch has.
        var mayHaveMore = true
        /// Whether something was saved of which the reads since may have left out a part: that of objects which were
        /// under way.
        var isSaveUnread = false
        var batches = 0
        /// How often an object's changes met a conflict.
        var rounds: [ObjectKey: Int] = [:]
        /// Objects that are not sent again in this cycle.
        var deferred: Set<ObjectKey> = []
        /// Objects whose parents the server does not have, to be sent once more when the zone was read.
        var parentless: Set<ObjectKey> = []
        var retryAfter: Int64?
        /// Why only deletions are sent: the server has no room for anything else.
        var noRoom: SyncFailure?
        /// Whether the cycle ended its push before the outbox was empty.
        var isCutShort = false

        var isQuiet: Bool {
            !isPreparing && ready == nil && sending == nil && answered == nil && settling == nil && takingBack == 0
        }

        /// Objects whose entries are in the outbox still, but not to be read.
        var excluded: Set<ObjectKey> { underWay.reduce(into: deferred.union(parentless)) { $0.formUnion($1.keys) } }

        /// The batches whose outcome is not written yet.
        var underWay: [PushBatch] { [sending, settling, ready, answered?.batch].compactMap(\.self) }
    }

    /// Begins the push, or begins it anew after a failure: what was read or sent then is read again.
    mutating func startPush() {
        cycle?.phase = .pushing
        beginUploadsAgain()
        guard settings.sendsChanges else { return pushEnded() }
        guard let push = cycle?.push else { return }
        cycle?.push = Push(rounds: push.rounds, deferred: push.deferred, retryAfter: push.retryAfter)
        advancePush()
    }

    private mutating func advancePush() {
        // The server's answers are noted even when another step has failed.
        settleAnswered()
        guard cycle?.failure == nil else { return endIfQuiet() }
        sendReady()
        prepareNext()
        guard let push = cycle?.push, push.isQuiet else { return }
        if push.isSaveUnread {
            cycle?.push.mayHaveMore = true
            return advancePush()
        }
        // The deletions have been sent; the others wait until there is room, which one of them may have made.
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
            // There was none for the keys under which the rest would be sent.
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
            // A step beside this one has failed.
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

    /// Notes what was known here of the parents that the server lacks.
    private mutating func noteParents(of batch: PushBatch, as reply: PushReply) {
        for (item, answer) in zip(batch.items, reply.answers) {
            guard case .parentless = answer else { continue }
            cycle?.tagsOfParents.updateValue(item.parentTag, forKey: item.entry.objectID.key)
        }
    }

    /// The reply with changes as refused whose parents the server still does not have once the zone was read for
    /// them, though it should: those are not on their way, and have not come and gone since.
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

    /// The server did not take the batch as a whole: halves it, first into saves, then a save, down to one change,
    /// which is blocked then.
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

    /// The server has no room for the batch: there may be for some of its saves, and deletions need none.
    private mutating func noRoom(for batch: PushBatch, _ failure: SyncFailure) {
        dropReady()
        if cycle?.push.noRoom != nil {
            // Not even for deletions.
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

    /// Does not send the batch that was read ahead.
    mutating func dropReady() {
        guard let batch = cycle?.push.ready else { return }
        cycle?.push.ready = nil
        takeBack(batch)
    }

    /// The server certainly has nothing of the batch by this push.
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
        // An answer that was not taken is as good as one that did not come.
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
        // A batch that was read meanwhile has left out what was under way.
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
