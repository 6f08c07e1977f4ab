import Backstitch
import BackstitchSQL
import BackstitchSupport
import Logging

/// The read replicas of the storage's database. Each read takes the next one in turn.
///
/// A replica that fails, or belongs to another database, is not used for ``rest``. A replica is never necessary: a
/// caller without an answer reads the database itself.
final class ReadReplicas: Sendable {
    /// The values that identify a replica of this storage.
    struct Origin: Sendable, Hashable {
        let secret: [UInt8]
        let history: Int64
    }

    /// The milliseconds during which a failed replica is not asked.
    static let rest: Int64 = 10_000

    /// A replica with its own threads, so that a slow one does not delay reads of the others.
    private struct Replica: Sendable {
        let database: any SQLDatabase
        let readers: WorkerPool
        let state = Locked(State())
    }

    private struct State {
        /// Whether it was identified as a replica of this storage.
        var isKnown = false
        /// The uptime before which it is not asked; nil if it is in use.
        var restsUntil: Int64?
    }

    private let replicas: [Replica]
    private let count = Locked(0)
    private let clock: any WallClock
    private let logger: Logger

    /// Opens the replicas of a configuration; nil if it names none. They need not be reachable yet.
    init?(_ configuration: ZoneServerConfiguration) throws {
        guard !configuration.readReplicas.isEmpty else { return nil }
        replicas = try configuration.readReplicas.map { source in
            let database = try source.open()
            return Replica(
                database: database,
                readers: WorkerPool(name: "backstitch.server.replica", limit: database.readerCount))
        }
        clock = configuration.clock
        logger = configuration.logger
    }

    /// Runs `body` in a snapshot of the next usable replica.
    func read<Value: Sendable>(
        _ origin: Origin, _ runner: any WorkRunner, _ body: @escaping @Sendable (ZoneSnapshot) throws -> Value?
    ) async throws -> ReplicaReading<Value> {
        let now = clock.uptime()
        let first = count.withLock { count in
            count = (count + 1) % replicas.count
            return count
        }
        let inTurn = replicas.indices.map { replicas[($0 + first) % replicas.count] }
        let rested = inTurn.first { $0.state.withLock { $0.restsUntil.map { $0 <= now } ?? true } }
        guard let replica = rested else { return .none }
        do {
            let value = try await runner.read(on: replica.readers) {
                try replica.database.readOnce { connection in
                    let snapshot = ZoneSnapshot(connection)
                    try Self.check(replica, origin, snapshot)
                    return try body(snapshot)
                }
            }
            return value.map(ReplicaReading.served) ?? .behind
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            replica.state.withLock { $0.restsUntil = now + Self.rest }
            logger.warning(
                "the read replica \(replica.database.name) failed, and is not used for \(Self.rest / 1000) s: \(error)")
            return .failed
        }
    }

    /// Checks once that a replica belongs to this storage.
    ///
    /// - Throws: ``ZoneServerError`` if the database belongs to another storage, or has not reached this history yet.
    private static func check(_ replica: Replica, _ origin: Origin, _ snapshot: ZoneSnapshot) throws {
        if replica.state.withLock({ $0.isKnown }) { return }
        let life = try snapshot.life()
        guard try snapshot.secret() == origin.secret, life?.history == origin.history else {
            throw ZoneServerError(
                .storageFormat, "it is not a replica of this server's database, or does not know its history yet")
        }
        replica.state.withLock { $0.isKnown = true }
    }

    /// Closes the connections of all replicas. Blocks.
    func close() throws {
        try ZoneStorage.doAll(replicas.map { replica in { try replica.database.close() } })
    }
}
