import Backstitch
import BackstitchSQL
import BackstitchSupport
import Logging

/// The servers that replay what the storage's database writes. Each read takes the next of them.
///
/// A copy that fails, or is no copy of this database, is left alone for ``rest``. Reading one is never needed: whoever
/// gets no answer here reads the database itself.
final class ReadReplicas: Sendable {
    /// The marks by which a copy is known to be one of this storage.
    struct Origin: Sendable, Hashable {
        let secret: [UInt8]
        let history: Int64
    }

    /// Milliseconds for which a copy that has failed is not asked.
    static let rest: Int64 = 10_000

    private struct Replica: Sendable {
        let database: any SQLDatabase
        let readers: WorkerPool
        let state = Locked(State())
    }

    private struct State {
        /// Whether it was seen to be a copy of this storage.
        var isKnown = false
        /// It is not asked before this uptime; nil where it does not rest.
        var restsUntil: Int64?
    }

    private let replicas: [Replica]
    private let count = Locked(0)
    private let clock: any WallClock
    private let logger: Logger

    /// Those of a configuration; nil when there are none. They need not be there yet.
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

    /// Runs `body` in a snapshot of the next copy that can be asked.
    func read<Value: Sendable>(
        _ origin: Origin, _ runner: any WorkRunner, _ body: @escaping @Sendable (any ZoneReading) throws -> Value?
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
                    let transaction = SQLTransaction(connection)
                    try Self.check(replica, origin, transaction)
                    return try body(transaction)
                }
            }
            return value.map(ReplicaReading.served) ?? .behind
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            replica.state.withLock { $0.restsUntil = now + Self.rest }
            logger.warning(
                "the read replica \(replica.database.name) is not asked for \(Self.rest / 1000) s: \(error)")
            return .failed
        }
    }

    /// - Throws: ``ZoneServerError`` for a database that is none of the storage's, or has not come to its history yet.
    private static func check(_ replica: Replica, _ origin: Origin, _ transaction: SQLTransaction) throws {
        if replica.state.withLock({ $0.isKnown }) { return }
        let life = try transaction.life()
        guard try transaction.secret() == origin.secret, life?.history == origin.history else {
            throw ZoneServerError(
                .storageFormat, "it is no replica of this server's database, or does not know its history yet")
        }
        replica.state.withLock { $0.isKnown = true }
    }

    /// Closes their connections. Blocks.
    func close() throws {
        try SQLZoneStorage.doAll(replicas.map { replica in { try replica.database.close() } })
    }
}
