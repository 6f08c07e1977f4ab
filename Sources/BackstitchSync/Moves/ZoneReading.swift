import Backstitch
import BackstitchSupport

/// Tells whether all zones were read since news of a move were met: the server was asked which zones have changed,
/// after that; and where the news were met in a zone beside the main one, that was read since too.
///
/// Kept in memory only: what was met before the program began is older than all that it reads.
final class ZoneReading: Sendable {
    private struct Moment: Sendable {
        var looks = 0
        var mainReads = 0
    }

    private struct State: Sendable {
        var now = Moment()
        var met: [Int64: Moment] = [:]
        /// Zones of which the server has shown by other ways than their feeds that they have news.
        var unread: Set<Int64> = []
    }

    private let state = Locked(State())

    /// A pull of the main zone begins.
    func mainZoneIsRead() { state.withLock { $0.now.mainReads += 1 } }

    /// The server is asked which zones have moved.
    func serverIsAsked() { state.withLock { $0.now.looks += 1 } }

    /// Notes what news of a zone say of moves.
    ///
    /// - Parameter isFeed: Whether its feed has told them, or the answer to a push. Else that is still to tell them.
    func note(_ applied: AppliedChanges, inZone zone: Int64, isFeed: Bool = true) {
        if applied.mayMove { if isFeed { hasMoves(inZone: zone) } else { lacksNews(ofZone: zone) } }
        for zone in applied.zonesBehind { lacksNews(ofZone: zone) }
    }

    /// News of a move were met in a zone.
    func hasMoves(inZone zone: Int64) {
        state.withLock { state in
            state.met[zone] = state.now
            state.unread.remove(zone)
        }
    }

    /// An answer to a push has shown that the feed of a zone has news of a move.
    func lacksNews(ofZone zone: Int64) {
        state.withLock { state in
            state.met[zone] = state.now
            state.unread.insert(zone)
        }
    }

    /// Whether the feed of a zone has news of a move that were not read since.
    func isBehind(inZone zone: Int64, hasMainZone: Bool) -> Bool {
        state.withLock { $0.unread.contains(zone) } && !isOver(inZone: zone, hasMainZone: hasMainZone)
    }

    /// Whether the news of a zone are older than what was read of the others.
    func isOver(inZone zone: Int64, hasMainZone: Bool) -> Bool {
        state.withLock { state in
            guard let met = state.met[zone] else { return true }
            let needsMainZone = hasMainZone && (zone != 0 || state.unread.contains(zone))
            return state.now.looks > met.looks && (!needsMainZone || state.now.mainReads > met.mainReads)
        }
    }
}

extension JournalReading {
    /// Whether nothing of any zone is known to be unread.
    func areAllZonesRead(hasMainZone: Bool) throws -> Bool {
        // A reset notes of every number that its zone is read again. Nobody reads a main zone that is not there.
        if hasMainZone, try has(.moved) || has(.sweep) { return false }
        return try zoneStates().values.allSatisfy { known in
            let isUnread = known.contains(SyncProperty.setUp.name) && !known.contains(SyncProperty.token.name)
            return !isUnread && !known.contains(SyncProperty.moved.name) && !known.contains(SyncProperty.sweep.name)
        }
    }
}
