import Backstitch

// A cycle works in one zone after another: in the main one first, then in those in which there is something to do, as
// ``Effect/lookAtZones(asksServer:)`` finds out.
extension SyncEngine {
    /// The zone in which the running cycle works; the main one where none runs.
    var zone: ZoneKnowledge {
        get { zones[cycle?.zone ?? 0] ?? mainZone }
        set { zones[cycle?.zone ?? 0] = newValue }
    }

    var mainZone: ZoneKnowledge {
        zones[0] ?? ZoneKnowledge(isSetUp: false, isFirstSyncComplete: false, isUnread: true, isAccountKnown: false)
    }

    /// All zones have to be made, or found, again.
    mutating func zonesLost() {
        for number in Array(zones.keys) { zones[number]?.zoneLost() }
        forgetUploads(in: nil)
    }

    /// The cycle has done what there is to do in its zone.
    mutating func zoneFinished() {
        guard let left = cycle?.zonesLeft else { return lookAtZones() }
        guard let next = left.first else {
            guard cycle?.hasDroppedZone == true, cycle?.looks ?? 0 < settings.looksPerCycle else {
                return settleMovesOrFinish()
            }
            // Another one of the name of that which was dropped may be there.
            return lookAtZones()
        }
        cycle?.zonesLeft = left.dropFirst()
        meet(next)
        cycle?.enter(next)
        if next.isGone {
            forgetZone()
        } else if cycle?.joint.read.contains(next.zone) == true, zone.needs.isEmpty {
            cycle?.hasPulled = true
            startPush()
        } else {
            setUpOrWork()
        }
    }

    /// Begins to keep what is known of a zone.
    mutating func meet(_ work: ZoneWork) {
        guard zones[work.zone] == nil else { return }
        zones[work.zone] = ZoneKnowledge(
            isSetUp: work.isSetUp, isFirstSyncComplete: !work.isUnread, isUnread: work.isUnread, isAccountKnown: true)
        if mayOthersHavePushed { zones[work.zone]?.answerLost() }
    }

    /// Finds out which zones there are beside the main one. What the server has of them matters where it was asked for
    /// what it has of the main one.
    mutating func lookAtZones() {
        cycle?.phase = .lookingAtZones
        cycle?.zone = 0
        cycle?.looks += 1
        cycle?.hasDroppedZone = false
        let asksServer = cycle?.hasPulledAny == true
        begin(.lookAtZones(asksServer: asksServer))
    }

    mutating func zonesFound(_ result: Result<FoundZones, SyncFailure>) {
        guard let answer = succeeded(result) else { return }
        noteProgress()
        if answer.comesAfterOthers { assetsMayBeMissing() }
        if answer.mayMove { cycle?.mayMove = true }
        let found = answer.zones
        // One that is not found any more was dropped by another process.
        let known = Set(found.map(\.zone) + [0])
        zones = zones.filter { known.contains($0.key) }
        let left = found.filter { !$0.isDone || zones[$0.zone]?.reading == .unanswered }
        // Those that are gone come last: their objects may have left them for one that is still to be read.
        cycle?.zonesLeft = (left.filter { !$0.isGone } + left.filter(\.isGone))[...]
        cycle?.joint = JointPull()
        pullTogether()
    }

    mutating func zoneDropped(_ result: Result<AppliedChanges, SyncFailure>) {
        guard let dropped = succeeded(result) else { return }
        cycle?.totals.add(dropped)
        // The look at zones which follows finds out about the others.
        if dropped.hasUnsent, let cycle, !cycle.zonesAside.contains(0) {
            self.cycle?.zonesLeft = [.mainWithUnsent] + (cycle.zonesLeft ?? [])
        }
        // Steps that are under way in the zone beside this one come to their end first.
        fail(SyncFailure(.zoneDropped, BackstitchError(.invalidRequest, "the zone is none of the store's any more")))
    }

    /// Leaves a zone that was dropped.
    mutating func leaveDroppedZone() {
        cycle?.failure = nil
        cycle?.hasDroppedZone = true
        if let number = cycle?.zone {
            zones[number] = nil
            forgetUploads(in: number)
        }
        zoneFinished()
    }

    /// A cycle that has read all zones has come to its end.
    mutating func firstSyncEnded() {
        if !mainZone.isFirstSyncComplete { effects.append(.noteFirstSync) }
        for number in Array(zones.keys) { zones[number]?.firstSyncEnded() }
    }
}

extension SyncEngine.Cycle {
    /// Whether the present step is about several zones, so that ``zone`` says nothing of it.
    var isBesideZones: Bool { phase == .lookingAtZones || phase == .settlingMoves }

    /// Leaves the zone in which it has worked, and begins in another one.
    mutating func enter(_ work: ZoneWork) {
        zone = work.zone
        hasNews = work.hasNews || work.isUnread
        phase = .settingUp
        retries = 0
        (pull, push) = (SyncEngine.Pull(), SyncEngine.Push())
        (hasPulled, hasPushed, pullsAgain, hasMadeZoneAnew, hasDroppedToken) = (false, false, false, false, false)
        (readForParents, tagsOfParents) = (nil, [:])
    }

    /// Takes down what a push has left for later.
    mutating func notePush() {
        totals.summaryParts.deferred += push.deferred.count
        isIncomplete = isIncomplete || !push.deferred.isEmpty
        isCutShort = isCutShort || push.isCutShort
        if let wait = push.retryAfter { retryAfter = max(wait, retryAfter ?? 0) }
    }
}
