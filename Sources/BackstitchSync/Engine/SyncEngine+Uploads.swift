import Backstitch

// Uploads of large assets run outside the cycles, so that no other change waits for them. A cycle without other work
// waits for their end and sends their records. If other work is wanted, the cycle ends. Its callers then get their
// result from the cycle that sends the last of those records.
//
// An upload that fails, or is stopped by a pause, is suspended. The next cycle that has another reason than a save
// begins it again, in the push of its zone. By then the account was checked, and the zone exists.
extension SyncEngine {
    /// The uploads that changes wait for.
    struct Uploads: Sendable {
        /// Callers whose cycle ended before its uploads did.
        struct Callers: Sendable {
            let tickets: [Int]
            let uploads: Set<HeldUpload>
        }

        /// Uploads that begin as soon as fewer are running.
        var waiting: [HeldUpload] = []
        var underWay: Set<HeldUpload> = []
        /// Running uploads that were told to stop.
        var stopped: Set<HeldUpload> = []
        /// Suspended uploads: they were stopped, or have failed.
        var resting: [HeldUpload] = []
        /// The zones with changes that can be sent since an upload has ended.
        var arrivals: Set<Int64> = []
        var callers: [Callers] = []
        /// The failure of an upload, until a cycle has reported it.
        var failure: SyncFailure?
        /// The failure of the suspended uploads.
        var problem: SyncFailure?
        /// The number of failures since the last success.
        var fruitless = 0
        /// The time of the next retry, as uptime in milliseconds.
        var nextTry: Int64?

        /// The most uploads that run at once.
        static let most = 4

        var isUnderWay: Bool { !waiting.isEmpty || !underWay.isEmpty }

        mutating func takeFailure() -> SyncFailure? {
            defer { failure = nil }
            return failure
        }

        /// Adds the callers of a cycle that ends.
        ///
        /// - Returns: The callers whose uploads have all ended.
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

    /// Begins the suspended uploads of the cycle's zone again, once in a cycle.
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
            // The pause that stopped it may be over.
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

    /// Sends the changes whose uploads have ended since the cycle was in their zones.
    ///
    /// - Returns: Whether there are any.
    mutating func sendArrivals() -> Bool {
        guard let cycle, !isPaused else { return false }
        while let number = uploads.arrivals.min() {
            uploads.arrivals.remove(number)
            guard zones[number] != nil, !cycle.zonesAside.contains(number) else { continue }
            self.cycle?.enter(
                ZoneWork(zone: number, isSetUp: true, isUnread: false, hasNews: false, hasUnsent: true))
            // The zone was read before any of its uploads was held.
            if zone.needs.isEmpty, zone.reading == .read { startPush() } else { setUpOrWork() }
            return true
        }
        return false
    }

    /// Suspends all waiting and running uploads.
    mutating func stopUploads() {
        uploads.resting += uploads.waiting
        uploads.waiting = []
        let stopped = uploads.underWay.subtracting(uploads.stopped)
        uploads.stopped = uploads.underWay
        uploads.nextTry = nil
        effects.append(.cancelTimer(.uploads))
        if !stopped.isEmpty { effects.append(.stopUploads(stopped.sorted { $0.number < $1.number })) }
    }

    /// Forgets the uploads of a zone that was replaced or is gone. Its remaining changes are examined again.
    ///
    /// - Parameter zone: The number of the zone; nil for all.
    mutating func forgetUploads(in zone: Int64?) {
        func isMeant(_ upload: HeldUpload) -> Bool { zone == nil || upload.zone == zone }
        uploads.waiting.removeAll(where: isMeant)
        uploads.resting.removeAll(where: isMeant)
        uploads.underWay = uploads.underWay.filter { !isMeant($0) }
        uploads.stopped.formIntersection(uploads.underWay)
        if uploads.resting.isEmpty { uploads.problem = nil }
        effects.append(.forgetUploads(zone: zone))
        beginUploads()
        // Without a cycle those callers would never get a result.
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
    /// Converts the failure of an upload into one of its cycle. The zone's next pull finds out the zone's state.
    fileprivate var ofUpload: SyncFailure {
        switch kind {
        case .zoneNotFound, .zoneDropped, .tokenRefused, .batchRefused:
            SyncFailure(.busy, error, retryAfter: retryAfter)
        default: self
        }
    }
}
