import Backstitch
import BackstitchSupport

/// The records met by the readings of followed queries. They are kept in memory only. After a restart, a reading begins
/// again if it may lead to deletions.
final class FollowTracker: Sendable {
    private let readings = Locked<[String: (pass: Int64, met: Set<ObjectKey>)]>([:])

    /// Begins to record a reading.
    func begin(_ query: String, pass: Int64) { readings.withLock { $0[query] = (pass, []) } }

    /// Whether the reading was recorded from its beginning.
    func knows(_ query: String, pass: Int64) -> Bool { readings.withLock { $0[query]?.pass == pass } }

    /// Notes records that have come in any way. Records from another query or from the feed count too.
    func add(_ keys: [ObjectKey]) {
        readings.withLock { readings in
            for query in readings.keys { readings[query]?.met.formUnion(keys) }
        }
    }

    func met(by query: String) -> Set<ObjectKey> { readings.withLock { $0[query]?.met ?? [] } }

    /// Forgets all readings except those of these queries.
    func keepOnly(_ queries: Set<String>) { readings.withLock { $0 = $0.filter { queries.contains($0.key) } } }
}
