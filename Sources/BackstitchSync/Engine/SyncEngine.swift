import Backstitch

/// Decides the next steps of a synced store. It has no input or output, no clock and no randomness of its own: it
/// receives events, and returns effects to carry out.
///
/// A cycle begins when the program permits it (``SyncConnectivity``). It runs set-up (if needed) → pull → push →
/// another pull (if the push met conflicts). It does so first in the main zone, then in each other zone with work;
/// several of those are read together before (``JointPull``). The assets follow at the end. Large assets are uploaded
/// outside the cycles (``Uploads``), so no change waits for those of others. Every cycle ends with
/// ``Report/finished(_:tickets:)`` or ``Report/failed(_:tickets:)``. Triggers during a cycle are kept and merged into
/// the next one; none is lost.
///
/// ```
///                             ┌───────────── next zone ────────────┐
///                             ▼                                    │
///  trigger ──► start ──► setting up ──► pulling ──► pushing ──► pulling ──► assets ──► finished
///                 ▲            │            │           │                                 │
///                 │            └────────────┴─────┬─────┘ a step fails                    │
///                 │                               ▼                                       │
///                 │             again (2 ×) · zone anew · token anew · failed             │
///                 └──────────────────── timer ◄───┴──── waiting triggers ◄────────────────┘
/// ```
package struct SyncEngine: Sendable {
    /// The settings of the engine.
    package struct Settings: Sendable {
        /// Whether the store's opening, saves, notifications and timers begin cycles.
        package var isAutomatic = true
        /// Whether saved changes are sent.
        package var sendsChanges = true
        /// Whether the store has a main zone. A store of the shared database has none.
        package var hasMainZone = true
        /// Whether the program is asked before each cycle.
        var asksConnectivity = false
        /// The interval of polls if the server sends no notifications, in milliseconds.
        package var pollInterval: Int64 = 30_000
        /// The interval of polls if the server sends notifications, in milliseconds. A notification may get lost.
        package var safetyInterval: Int64 = 600_000
        /// The time between two cycles that encrypt records with a new key, in milliseconds.
        package var rotationInterval: Int64 = 1_000
        /// The most retries of a step before its cycle fails.
        package var stepRetries = 2
        /// The most rounds of merge and push for an object's conflicts in one cycle.
        package var conflictRounds = 5
        /// The most batches of one cycle, so that it ends even if another thread saves without a pause.
        package var batchesPerCycle = 5_000
        /// The most times that a cycle lists the zones.
        var looksPerCycle = 3
        /// The number of zones in one request: at first, and at most.
        var zonesTogether = 25, mostZonesTogether = 200
        /// The number of records of several zones that one answer should have, and the most in one transaction.
        var recordsTogether = 4_000
        /// The most pages in a row without new data before the pull is postponed. An empty one counts as a hundred.
        var fruitlessPages = 10_000
        /// The least time of a normal long poll without news, in milliseconds.
        var pushListenerFloor: Int64 = 1_000
        /// The most notifications in a row that arrive at once and lead to nothing.
        var pushListenerRumours = 10
        /// The waits between tries of a step.
        var stepBackOff = BackOff(first: 100, longest: 1_000)
        /// The waits after failed cycles.
        var cycleBackOff = BackOff(first: 500, longest: 30_000)
        /// The waits before the next poll after a permanent failure, or after failed downloads of assets.
        var lookBackOff = BackOff(first: 30_000, longest: 600_000)
        /// The waits before the long poll is opened again.
        var pushListenerBackOff = BackOff(first: 200, longest: 30_000)

        /// Creates the usual settings.
        package init() {}
    }

    let settings: Settings
    var waiting = Triggers()
    /// The state of the engine. Only the methods in the file of ``Activity`` change it.
    var activity = Activity.resting
    /// The knowledge of each zone, by its number; the main one's is always present.
    var zones: [Int64: ZoneKnowledge]
    /// Whether another process may have left unanswered pushes in zones that are not tracked yet.
    var mayOthersHavePushed = false
    var assets = Assets.lacking
    var uploads = Uploads()
    /// The number of downloads in a row after which assets were still missing.
    var fruitlessDownloads = 0
    /// The time of the first retry of a failed download, as uptime in milliseconds.
    var nextDownload: Int64?
    var pushListener = PushListener()
    /// The number of cycles in a row that failed, or deferred changes without progress.
    var fruitlessCycles = 0
    /// The totals of the failed cycles since the last successful one. The next successful summary includes them.
    var failedTotals: Totals?
    var lastError: BackstitchError?
    var lastFailure: SyncFailure.Kind?
    /// The limit of a batch, after the server refused a larger one.
    var ceiling: BatchCeiling?
    /// The number of zones in one request.
    var zonesTogether: Int
    /// The reasons why no cycle begins; empty if one may.
    var pauses: Set<Pause> = []

    /// The wall time at the beginning of the uptime, in milliseconds since 1970, by the last step's clock.
    var start: Int64 = 0

    // The following belong to the running step only.
    var now: Int64 = 0
    var random: UInt64 = 0
    var effects: [Effect] = []

    /// Creates an engine at rest.
    ///
    /// - Parameters:
    ///   - isSetUp: Whether the zone and the subscription were created before.
    ///   - isFirstSyncComplete: Whether a pull has ever ended.
    ///   - isZoneUnread: Whether the zone's present state is unknown.
    ///   - isOff: Whether sync is turned off.
    ///   - isStandby: Whether another process syncs the store.
    ///   - isAccountKnown: Whether the owner of the zone is known, or does not matter.
    package init(
        settings: Settings = Settings(), isSetUp: Bool, isFirstSyncComplete: Bool, isZoneUnread: Bool = false,
        isOff: Bool = false, isStandby: Bool = false, isAccountKnown: Bool = true
    ) {
        if isOff { pauses.insert(.off) }
        if isStandby { pauses.insert(.standby) }
        self.settings = settings
        zonesTogether = settings.zonesTogether
        zones = [
            0: ZoneKnowledge(
                isSetUp: isSetUp, isFirstSyncComplete: isFirstSyncComplete, isUnread: isZoneUnread,
                isAccountKnown: isAccountKnown)
        ]
    }

    /// Handles an event and returns the effects to carry out now.
    ///
    /// - Parameters:
    ///   - now: The uptime of the process in milliseconds; all timers use it.
    ///   - date: The wall time in milliseconds since 1970, for display.
    ///   - random: Any bits, for the variation of waits.
    package mutating func step(_ event: Event, at now: Int64, date: Int64, random: UInt64) -> [Effect] {
        self.now = now
        start = date - now
        self.random = random
        effects = []
        take(event)
        defer { effects = [] }
        return effects
    }

    private mutating func take(_ event: Event) {
        if isClosed {
            if case .trigger(_, let ticket?) = event { effects.append(.refuse(ticket: ticket, Self.closedError)) }
            return
        }
        switch event {
        case .trigger(let reason, let ticket): trigger(reason, ticket: ticket)
        case .timerFired(let timer): fired(timer)
        case .paused(let isPaused): setPause(isPaused ? [.user] : [], clearing: [.user, .stopped])
        case .turnedOff(let isOff): setPause(isOff ? [.off] : [], clearing: [.off])
        case .tookOver(let isSetUp, let isFirstSyncComplete, let isOff):
            tookOver(isSetUp: isSetUp, isFirstSyncComplete: isFirstSyncComplete, isOff: isOff)
        case .lostLead: lostLead()
        case .zoneErased: zonesLost()
        case .credentialsChanged: credentialsChanged()
        case .connectivityAsked(let result): connectivityAsked(result)
        case .zonesFound(let result): zonesFound(result)
        case .movesSettled(let result): movesSettled(result)
        case .zoneDropped(let result): zoneDropped(result)
        case .accountChecked(let result): accountChecked(result)
        case .closed: close()
        case .zonesOpened(let result): zonesOpened(result)
        case .pagesFetched(let result): pagesFetched(result)
        case .pagesApplied(let result): pagesApplied(result)
        case .setUpEnded(let result): setUpEnded(result)
        case .zoneForgotten(let result): zoneForgotten(result)
        case .tokenForgotten(let result): tokenForgotten(result)
        case .pageFetched(let result): pageFetched(result)
        case .pageApplied(let result): pageApplied(result)
        case .batchPrepared(let result): batchPrepared(result)
        case .batchSent(let result): batchSent(result)
        case .attemptsTakenBack(let result): attemptsTakenBack(result)
        case .batchSettled(let result): batchSettled(result)
        case .assetsFetched(let missing, let wait): assetsFetched(missing: missing, wait: wait)
        case .assetUploaded(let upload, let result): assetUploaded(upload, result)
        case .pushListenerRegistered(let result): pushListenerRegistered(result)
        case .pushListenerAnswered(let result): pushListenerAnswered(result)
        }
    }

    private mutating func fired(_ timer: Timer) {
        switch timer {
        case .step: resumeStep()
        case .cycle:
            endWait()
            startIfWanted()
        case .uploads:
            uploads.nextTry = nil
            trigger(.timer, ticket: nil)
        case .poll: trigger(.timer, ticket: nil)
        case .pushListener: resumePushListener()
        }
    }
}
