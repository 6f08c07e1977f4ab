import Backstitch

// Uploads of large assets run beside the cycles, so that no other change waits for them. A cycle that has nothing else
// to do stays until they have ended, and sends their records; where something else is wanted it ends, and its callers
// have their answer from the cycle that sends the last of those records.
//
// One that fails, or is stopped by a pause, rests. The next cycle that is not for a save alone begins it again, in the
// push of its zone: the account was checked by then, and the zone is there.
extension SyncEngine {
    /// The uploads for which changes wait.
    struct Uploads: Sendable {
        /// Callers whose cycle has ended before the uploads that it had met.
        struct Callers: Sendable {
            let tickets: [Int]
            let uploads: Set<HeldUpload>
        }

        /// Those that are to begin as soon as fewer are under way.
        var waiting: [HeldUpload] = []
        var underWay: Set<HeldUpload> = []
        /// Those under way that were told to stop.
        var stopped: Set<HeldUpload> = []
        /// Those that were stopped, or have failed.
        var resting: [HeldUpload] = []
        /// The zones with changes that can be sent since an upload has ended.
        var arrivals: Set<Int64> = []
        var callers: [Callers] = []
        /// Why an upload has failed, until a cycle has ended with it.
        var failure: SyncFailure?
        /// Why uploads rest that have failed.
        var problem: SyncFailure?
        /// How many have failed since one has ended well.
        var fruitless = 0
        /// When those that have failed are tried again, by the clock's uptime.
        var nextTry: Int64?

        /// As many run at once.
        static let most = 4

        var isUnderWay: Bool { !waiting.isEmpty || !underWay.isEmpty }

        mutating func takeFailure() -> SyncFailure? {
            defer { failure = nil }
            return failure
        }

        /// Takes in the callers of a cycle that ends.
        ///
        /// - Returns: The callers for whom no upload is under way any more.
        mutating func callersAnswered(adding tickets: [Int]) -> [Int] {
            let open = underWay.union(waiting)
            if !tickets.isEmpty { callers.append(Callers(tickets: tickets, uploads: open)) }
            let answered = callers.filter { $0.uploads.isDisjoint(with: open) }
            callers.removeAll { $0.uploads.isDisjoint(with: open) }
            return answered.flatMap(\.tickets)
        }

        mutating func takeCallers() -> [Int] {
            defer { callers = [] }
            return callers.flatMap(\.tickets)
        }
    }

    mutating func hold(_ held: [HeldUpload]) {
        if isPaused { return uploads.resting += held }
        uploads.waiting += held
        beginUploads()
    }

    private mutating func beginUploads() {
        guard !isPaused else { return }
        while uploads.underWay.count < Uploads.most, !uploads.waiting.isEmpty {
            let upload = uploads.waiting.removeFirst()
            uploads.underWay.insert(upload)
            effects.append(.uploadAsset(upload))
        }
    }

    /// Begins those uploads of the cycle's zone again that rest, once in a cycle.
    mutating func beginUploadsAgain() {
        guard let cycle else { return }
        uploads.arrivals.remove(cycle.zone)
        guard !cycle.isForSaveAlone, self.cycle?.zonesUploading.insert(cycle.zone).inserted == true else { return }
        let again = uploads.resting.filter { $0.zone == cycle.zone }
        if again.isEmpty { return }
        uploads.resting.removeAll { $0.zone == cycle.zone }
        if uploads.resting.isEmpty {
            (uploads.failure, uploads.problem, uploads.nextTry) = (nil, nil, nil)
            effects.append(.cancelTimer(.uploads))
        }
        hold(again)
    }

    mutating func assetUploaded(_ upload: HeldUpload, _ result: Result<Void, SyncFailure>) {
        let isKnown = uploads.underWay.remove(upload) != nil
        let wasStopped = uploads.stopped.remove(upload) != nil
        switch result {
        case .success:
            uploads.fruitless = 0
            if isKnown { uploads.arrivals.insert(upload.zone) }
        // Its zone is gone.
        case .failure where !isKnown: break
        case .failure(let failure):
            uploads.resting.append(upload)
            if !wasStopped { uploadFailed(failure.ofUpload) }
            // The pause for which it was stopped may be over.
            if wasStopped, !isPaused, settings.isAutomatic { waiting.reasons.insert(.networkState) }
        }
        beginUploads()
        if cycle?.phase == .awaitingAssets { return finishWork() }
        guard cycle == nil, !isPaused else { return }
        if uploads.failure != nil || !uploads.arrivals.isEmpty { waiting.reasons.insert(.localSave) }
        startIfWanted()
    }

    private mutating func uploadFailed(_ failure: SyncFailure) {
        uploads.fruitless += 1
        uploads.failure = uploads.failure ?? failure
        uploads.problem = failure
        guard settings.isAutomatic, failure.isTransient else { return }
        let delay = settings.cycleBackOff.delay(attempt: uploads.fruitless, random: random)
        let next = now + max(delay, failure.retryAfter ?? 0)
        uploads.nextTry = next
        effects.append(.setTimer(.uploads, at: next))
    }

    /// Sends what has waited for uploads that have ended since the cycle was in their zones.
    ///
    /// - Returns: Whether there is such a thing.
    mutating func sendArrivals() -> Bool {
        guard let cycle, !isPaused else { return false }
        while let number = uploads.arrivals.min() {
            uploads.arrivals.remove(number)
            guard zones[number] != nil, !cycle.zonesAside.contains(number) else { continue }
            self.cycle?.enter(
                ZoneWork(zone: number, isSetUp: true, isUnread: false, hasNews: false, hasUnsent: true))
            // The zone was read before anything of it was held.
            if zone.needs.isEmpty, zone.reading == .read { startPush() } else { setUpOrWork() }
            return true
        }
        return false
    }

    /// Has all uploads rest.
    mutating func stopUploads() {
        uploads.resting += uploads.waiting
        uploads.waiting = []
        let stopped = uploads.underWay.subtracting(uploads.stopped)
        uploads.stopped = uploads.underWay
        uploads.nextTry = nil
        effects.append(.cancelTimer(.uploads))
        if !stopped.isEmpty { effects.append(.stopUploads(stopped.sorted { $0.number < $1.number })) }
    }

    /// Forgets the uploads of a zone that is another one from now on, or gone: whatever is still to be sent there is
    /// looked at anew.
    ///
    /// - Parameter zone: nil for all.
    mutating func forgetUploads(in zone: Int64?) {
        func isMeant(_ upload: HeldUpload) -> Bool { zone == nil || upload.zone == zone }
        uploads.waiting.removeAll(where: isMeant)
        uploads.resting.removeAll(where: isMeant)
        uploads.underWay = uploads.underWay.filter { !isMeant($0) }
        uploads.stopped.formIntersection(uploads.underWay)
        if uploads.resting.isEmpty { uploads.problem = nil }
        effects.append(.forgetUploads(zone: zone))
        beginUploads()
        // Nothing else would give them their answer.
        guard cycle == nil, !uploads.callers.isEmpty else { return }
        waiting.reasons.insert(.localSave)
        startIfWanted()
    }

    /// Refuses the callers that wait for uploads.
    mutating func refuseCallersOfUploads(_ error: BackstitchError) {
        for ticket in uploads.takeCallers() { effects.append(.refuse(ticket: ticket, error)) }
    }
}

extension SyncFailure {
    /// The failure of an upload as that of its cycle: what it says of the zone the next pull of that finds out.
    fileprivate var ofUpload: SyncFailure {
        switch kind {
        case .zoneNotFound, .zoneDropped, .tokenRefused, .batchRefused:
            SyncFailure(.busy, error, retryAfter: retryAfter)
        default: self
        }
    }
}
