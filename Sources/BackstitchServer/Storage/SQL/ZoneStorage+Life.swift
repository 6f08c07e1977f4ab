import Backstitch
import BackstitchSQL
import Logging

extension ZoneStorage {
    /// Finds out whether the storage was replaced by an earlier state of itself. If so, it begins a new history.
    ///
    /// In the new history, no token or change tag of the lost one is accepted.
    ///
    /// - Parameter witness: The witness; nil for a database that several servers share. A file beside one of them would
    ///   not know the writes of the others, so there only `isRestored` counts.
    /// - Parameter isRestored: Whether the administrator says that the storage was restored.
    static func enterLife(
        _ database: any SQLDatabase, _ witness: StorageWitness?, isRestored: Bool, clock: any WallClock,
        random: any ServerRandom, logger: Logger
    ) throws -> StorageLife {
        let witnessed = try witness?.read()
        let life = try database.transact { connection in
            let transaction = ZoneTransaction(connection)
            // If several servers start at once, the first one begins the history.
            if let turn = connection.dialect.turn("zones") {
                try connection.run(SQLStatement(connection.dialect, turn))
            }
            let stored = try transaction.life()
            let isBehind =
                witness != nil && (stored.map { $0.hasGoneBack(since: witnessed) } ?? (witnessed != nil))
            if let stored, !isBehind, !isRestored { return stored }
            let latest = max(stored?.history ?? 0, witnessed?.history ?? 0)
            let next = StorageLife(
                history: StorageLife.newHistory(after: latest, clock, random),
                commits: max(stored?.commits ?? 0, witnessed?.commits ?? 0) + 1)
            if isBehind || isRestored {
                logger.warning(
                    "the storage has gone back to an earlier state: every client reads everything again, and sends the missing changes",
                    metadata: [
                        "because": isRestored
                            ? "it was started as restored" : "it is behind its witness, or that is missing",
                        "commits": "\(stored?.commits ?? 0)", "witnessed": "\(witnessed?.commits ?? 0)",
                    ])
                try transaction.renewEpochs { random.identifier() }
            }
            try transaction.setLife(next)
            return next
        }
        try witness?.write(life)
        return life
    }
}
