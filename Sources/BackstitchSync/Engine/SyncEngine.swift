import Backstitch

/// Decides what a synced store does next. It has no input or output, no clock and no randomness of its own: it is told
/// what happened, and answers what shall be done.
///
/// A cycle begins when the program lets it (``SyncConnectivity``). It runs set-up (where needed) → pull → push → pull
/// again (where the push met conflicts), first in the main zone, then in each of the others in which there is something
/// to do; several of those are read together before (``JointPull``). Then come assets, and the end. Large assets are
/// uploaded beside the cycles (``Uploads``), and so no change waits for those of others. Every cycle ends,
/// with ``Report/finished(_:tickets:)`` or ``Report/failed(_:tickets:)``. Triggers that come while one runs are kept
/// and merged into the next one; none is lost.
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
        /// Whether what is saved here is sent.
        package var sendsChanges = true
        /// Whether the store has a main zone: in a database of zones that are all others' it has none.
        package var hasMainZone = true
        /// Whether the program is asked before each cycle.
        var asksConnectivity = false
        /// Milliseconds between looks at a server that sends no notifications.
        package var pollInterval: Int64 = 30_000
        /// Milliseconds between looks at a server that sends notifications, of which one may get lost.
        package var safetyInterval: Int64 = 600_000
        /// Milliseconds between two cycles that encrypt records anew.
        package var rotationInterval: Int64 = 1_000
        /// How often a step is tried again before its cycle fails.
        package var stepRetries = 2
        /// How often an object's conflicts are merged and pushed again in one cycle.
        package var conflictRounds = 5
        /// How many batches one cycle sends at most, so that it ends while another thread saves without pause.
        package var batchesPerCycle = 5_000
        /// How often a cycle finds out which zones there are, at most.
        var looksPerCycle = 3
        /// How many zones one request asks about at first, and at most.
        var zonesTogether = 25, mostZonesTogether = 200
        /// Records of several zones that one answer should bring, and more than which no transaction takes together.
        var recordsTogether = 4_000
        /// How many pages in a row may bring nothing new, an empty one counted as a hundred, before the pull is given
        /// up for now.
        var fruitlessPages = 10_000
        /// Milliseconds that a long poll without news takes at least with a server that means it.
        var pushListenerFloor: Int64 = 1_000
        /// How many notifications in a row may come at once and lead to nothing.
        var pushListenerRumours = 10
        /// Waits between tries of a step.
        var stepBackOff = BackOff(first: 100, longest: 1_000)
        /// Waits after failed cycles.
        var cycleBackOff = BackOff(first: 500, longest: 30_000)
        /// Waits before another look at the server after a failure that is not for now only, and where assets could not
        /// be downloaded.
        var lookBackOff = BackOff(first: 30_000, longest: 600_000)
        /// Waits before the long poll is opened again.
        var pushListenerBackOff = BackOff(first: 200, longest: 30_000)

        /// The usual settings.
        package init() {}
    }

    let settings: Settings
    var waiting = Triggers()
    /// Changed by the methods beside ``Activity`` alone.
    var activity = Activity.resting
    /// The knowledge of each zone that was met, by its number; the main one's is always there.
    var zones: [Int64: ZoneKnowledge]
    /// Whether another process may have left pushes under way in zones that were not met yet.
    var mayOthersHavePushed = false
    var assets = Assets.lacking
    var uploads = Uploads()
    /// How many times in a row assets were missing after their download.
    var fruitlessDownloads = 0
    /// When the first of those is to be tried again that wait for their own time, in milliseconds since 1970.
    var nextDownload: Int64?
    var pushListener = PushListener()
    /// How many cycles in a row have failed, or have left changes for later and brought nothing.
    var fruitlessCycles = 0
    /// The totals of the cycles that failed since the last one that ended well; the summary of the next one that ends
    /// well includes them.
    var failedTotals: Totals?
    var lastError: BackstitchError?
    var lastFailure: SyncFailure.Kind?
    /// How many changes a batch may hold, after the server refused a larger one.
    var ceiling: BatchCeiling?
    /// How many zones a request asks about.
    var zonesTogether: Int
    /// Why no cycle begins; empty when one may.
    var pauses: Set<Pause> = []

    /// The wall time at which the uptime began, in milliseconds since 1970, by the last step's clock.
    var start: Int64 = 0

    // Of the running step only.
    var now: Int64 = 0
    var random: UInt64 = 0
    var effects: [Effect] = []

    /// An engine at rest.
    ///
    /// - Parameters:
    ///   - isSetUp: Whether the zone and the subscription were made before.
    ///   - isFirstSyncComplete: Whether a pull has come to its end before.
    ///   - isZoneUnread: Whether nothing is known of the zone as it is now.
    ///   - isOff: Whether sync is turned off.
    ///   - isStandby: Whether another process syncs the store.
    ///   - isAccountKnown: Whether it is known whose zone it is, or does not matter.
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

    /// Takes in an event and says what shall be done now.
    ///
    /// - Parameters:
    ///   - now: The uptime of the process in milliseconds, which all timers are set by.
    ///   - date: Milliseconds since 1970, for users to read.
    ///   - random: Any bits, for spreading waiting times.
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
