import Backstitch

// A cycle works in one zone after another: first in the main one, then in those that need work.
// ``Effect/lookAtZones(asksServer:)`` finds them.
extension SyncEngine {
    /// The zone of the running cycle; the main one if none runs.
    var zone: ZoneKnowledge {
        get { zones[cycle?.zone ?? 0] ?? mainZone }
        set { zones[cycle?.zone ?? 0] = newValue }
    }

    var mainZone: ZoneKnowledge {
        zones[0] ?? ZoneKnowledge(isSetUp: false, isFirstSyncComplete: false, isUnread: true, isAccountKnown: false)
    }

    /// Requires that all zones are created, or found, again.
    mutating func zonesLost() {
        for number in Array(zones.keys) { zones[number]?.zoneLost() }
        forgetUploads(in: nil)
    }

    /// Continues after the work in one zone is done.
    mutating func zoneFinished() {
        guard let left = cycle?.zonesLeft else { return lookAtZones() }
        guard let next = left.first else {
            guard cycle?.hasDroppedZone == true, cycle?.looks ?? 0 < settings.looksPerCycle else {
                return settleMovesOrFinish()
            }
            // A new zone may have the name of the dropped one.
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

    /// Begins to track a zone.
    mutating func meet(_ work: ZoneWork) {
        guard zones[work.zone] == nil else { return }
        zones[work.zone] = ZoneKnowledge(
            isSetUp: work.isSetUp, isFirstSyncComplete: !work.isUnread, isUnread: work.isUnread, isAccountKnown: true)
        if mayOthersHavePushed { zones[work.zone]?.answerLost() }
    }

    /// Lists the further zones. The server is asked for their changes only if the cycle has pulled.
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
        // A zone that is no longer found was dropped by another process.
        let known = Set(found.map(\.zone) + [0])
        zones = zones.filter { known.contains($0.key) }
        let left = found.filter { !$0.isDone || zones[$0.zone]?.reading == .unanswered }
        // Zones that are gone come last: their objects may have moved to another zone, which must be read first.
        cycle?.zonesLeft = (left.filter { !$0.isGone } + left.filter(\.isGone))[...]
        cycle?.joint = JointPull()
        pullTogether()
    }

    mutating func zoneDropped(_ result: Result<AppliedChanges, SyncFailure>) {
        guard let dropped = succeeded(result) else { return }
        cycle?.totals.add(dropped)
        // The following look at the zones finds the others.
        if dropped.hasUnsent, let cycle, !cycle.zonesAside.contains(0) {
            self.cycle?.zonesLeft = [.mainWithUnsent] + (cycle.zonesLeft ?? [])
        }
        // Running steps of this zone end first.
        fail(
            SyncFailure(
                .zoneDropped, BackstitchError(.invalidRequest, "the zone does not belong to the store any more")))
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

    /// Records the end of the first sync, after a cycle that has read all zones.
    mutating func firstSyncEnded() {
        if !mainZone.isFirstSyncComplete { effects.append(.noteFirstSync) }
        for number in Array(zones.keys) { zones[number]?.firstSyncEnded() }
    }
}

extension SyncEngine.Cycle {
    /// Whether the present step concerns several zones, so that ``zone`` does not apply.
    var isBesideZones: Bool { phase == .lookingAtZones || phase == .settlingMoves }

    /// Leaves the present zone, and begins to work in another one.
    mutating func enter(_ work: ZoneWork) {
        zone = work.zone
        hasNews = work.hasNews || work.isUnread
        phase = .settingUp
        retries = 0
        (pull, push) = (SyncEngine.Pull(), SyncEngine.Push())
        (hasPulled, hasPushed, pullsAgain, hasMadeZoneAnew, hasDroppedToken) = (false, false, false, false, false)
        (readForParents, tagsOfParents) = (nil, [:])
    }

    /// Records the changes that a push has left for later.
    mutating func notePush() {
        totals.summaryParts.deferred += push.deferred.count
        isIncomplete = isIncomplete || !push.deferred.isEmpty
        isCutShort = isCutShort || push.isCutShort
        if let wait = push.retryAfter { retryAfter = max(wait, retryAfter ?? 0) }
    }
}
