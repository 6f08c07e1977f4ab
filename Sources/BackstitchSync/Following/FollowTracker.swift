import Backstitch
import BackstitchSupport

/// Which records the readings of followed queries have met. It is kept in memory only: after a restart a reading begins
/// again where something may have to go.
final class FollowTracker: Sendable {
    private let readings = Locked<[String: (pass: Int64, met: Set<ObjectKey>)]>([:])

    /// Begins to take note of a reading.
    func begin(_ query: String, pass: Int64) { readings.withLock { $0[query] = (pass, []) } }

    /// Whether the reading is remembered from its beginning.
    func knows(_ query: String, pass: Int64) -> Bool { readings.withLock { $0[query]?.pass == pass } }

    /// Notes records that have come, in whatever way: what another query or the feed has brought is there.
    func add(_ keys: [ObjectKey]) {
        readings.withLock { readings in
            for query in readings.keys { readings[query]?.met.formUnion(keys) }
        }
    }

    func met(by query: String) -> Set<ObjectKey> { readings.withLock { $0[query]?.met ?? [] } }

    /// Forgets all readings but those of the queries.
    func keepOnly(_ queries: Set<String>) { readings.withLock { $0 = $0.filter { queries.contains($0.key) } } }
}
