import Backstitch
import BackstitchSQL
import Logging

extension SQLZoneStorage {
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
            let transaction = SQLTransaction(connection)
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

extension SQLTransaction {
    /// The current history and number of commits; nil before the first start.
    func life() throws -> StorageLife? {
        try one("SELECT history, commits FROM life") { StorageLife(history: $0.int(0), commits: $0.int(1)) }
    }

    /// Writes history and number of commits, in the table's only row.
    func setLife(_ life: StorageLife) throws {
        try execute(
            """
            INSERT INTO life ("only", history, commits) VALUES (1, \(life.history), \(life.commits))
            ON CONFLICT ("only") DO UPDATE SET history = excluded.history, commits = excluded.commits
            """)
    }

    func probeDisk() throws { try execute("UPDATE life SET commits = commits") }

    /// Counts a commit; nil if the storage has no history yet.
    func countCommit() throws -> StorageLife? {
        try changed("UPDATE life SET commits = commits + 1 RETURNING history, commits") {
            StorageLife(history: $0.int(0), commits: $0.int(1))
        }.first
    }

    /// The secret of the storage. If there is none, `fresh` becomes the secret.
    func secret(orKeep fresh: [UInt8]) throws -> [UInt8] {
        try execute("INSERT INTO setting (name, value) VALUES ('secret', \(fresh)) ON CONFLICT DO NOTHING")
        return try secret() ?? fresh
    }

    /// The secret of the storage; nil before the first start of a server.
    func secret() throws -> [UInt8]? {
        try one("SELECT value FROM setting WHERE name = 'secret'") { $0.bytes(0) }
    }
}
