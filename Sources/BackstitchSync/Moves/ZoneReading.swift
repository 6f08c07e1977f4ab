import Backstitch
import BackstitchSupport

/// Tells whether all zones were read since news of a move was met. Two conditions must hold:
///
/// - After the news, the server was asked for the zones with changes.
/// - If the news came from a further zone, the main zone was read after it. The same holds for news of the main zone
///   from another source than its feed.
///
/// The state is in memory only: news from before the program's start is older than everything read since.
final class ZoneReading: Sendable {
    private struct Moment: Sendable {
        var looks = 0
        var mainReads = 0
    }

    private struct State: Sendable {
        var now = Moment()
        var met: [Int64: Moment] = [:]
        /// Zones with news from another source than their feeds.
        var unread: Set<Int64> = []
    }

    private let state = Locked(State())

    /// Records the beginning of a pull of the main zone.
    func mainZoneIsRead() { state.withLock { $0.now.mainReads += 1 } }

    /// Records a request for the zones with changes.
    func serverIsAsked() { state.withLock { $0.now.looks += 1 } }

    /// Notes the news of moves in a zone's changes.
    ///
    /// - Parameter isFeed: Whether the zone's feed has told them, or the answer to a push. If not, the feed is still to
    ///   tell them.
    func note(_ applied: AppliedChanges, inZone zone: Int64, isFeed: Bool = true) {
        if applied.mayMove { if isFeed { hasMoves(inZone: zone) } else { lacksNews(ofZone: zone) } }
    }

    /// Records news of a move in a zone.
    func hasMoves(inZone zone: Int64) {
        state.withLock { state in
            state.met[zone] = state.now
            state.unread.remove(zone)
        }
    }

    /// Records unread news of a move in a zone's feed, as an answer to a push has shown.
    func lacksNews(ofZone zone: Int64) {
        state.withLock { state in
            state.met[zone] = state.now
            state.unread.insert(zone)
        }
    }

    /// Whether the other zones were read after the news of a zone.
    func isOver(inZone zone: Int64, hasMainZone: Bool) -> Bool {
        state.withLock { state in
            guard let met = state.met[zone] else { return true }
            let needsMainZone = hasMainZone && (zone != 0 || state.unread.contains(zone))
            return state.now.looks > met.looks && (!needsMainZone || state.now.mainReads > met.mainReads)
        }
    }
}

extension JournalReading {
    /// Whether no zone is known to have unread changes.
    func areAllZonesRead(hasMainZone: Bool) throws -> Bool {
        // A reset notes a new read for every zone number. A missing main zone is never read.
        if hasMainZone, try has(.moved) || has(.sweep) { return false }
        return try zoneStates().values.allSatisfy { known in
            let isUnread = known.contains(SyncProperty.setUp.name) && !known.contains(SyncProperty.token.name)
            return !isUnread && !known.contains(SyncProperty.moved.name) && !known.contains(SyncProperty.sweep.name)
        }
    }
}
