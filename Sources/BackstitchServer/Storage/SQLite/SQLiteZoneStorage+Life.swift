import Backstitch
import GRDB
import Logging

extension SQLiteZoneStorage {
    /// Finds out whether an earlier state of the storage was put in place of a later one; then begins a new history, in
    /// which no token or change tag of the lost one is honoured.
    ///
    /// - Parameter isRestored: Whether somebody says that it is so.
    static func enterLife(
        _ database: any DatabaseWriter, _ witness: StorageWitness, isRestored: Bool, clock: any WallClock,
        random: any ServerRandom, logger: Logger
    ) throws -> StorageLife {
        let witnessed = try witness.read()
        let life = try database.write { db in
            let transaction = SQLiteTransaction(db)
            let stored = try transaction.life()
            let isBehind = stored.map { $0.hasGoneBack(since: witnessed) } ?? (witnessed != nil)
            if let stored, !isBehind, !isRestored { return stored }
            let latest = max(stored?.history ?? 0, witnessed?.history ?? 0)
            let next = StorageLife(
                history: StorageLife.newHistory(after: latest, clock, random),
                commits: max(stored?.commits ?? 0, witnessed?.commits ?? 0) + 1)
            if isBehind || isRestored {
                logger.warning(
                    "the storage has gone back to an earlier state: every client reads everything again, and sends what is missing",
                    metadata: [
                        "because": isRestored
                            ? "serve --restored says so" : "it is behind its witness, or that is missing",
                        "commits": "\(stored?.commits ?? 0)", "witnessed": "\(witnessed?.commits ?? 0)",
                    ])
                try transaction.renewEpochs { random.identifier() }
            }
            try transaction.setLife(next)
            return next
        }
        try witness.write(life)
        return life
    }
}

extension SQLiteTransaction {
    func life() throws -> StorageLife? {
        try one("SELECT history, commits FROM life", []) { StorageLife(history: $0[0], commits: $0[1]) }
    }

    func setLife(_ life: StorageLife) throws {
        try execute("INSERT OR REPLACE INTO life VALUES (1, ?, ?)", [life.history, life.commits])
    }

    /// Counts a commit; nil where commits are not counted, in memory.
    func countCommit() throws -> StorageLife? {
        try one("UPDATE life SET commits = commits + 1 RETURNING history, commits", []) {
            StorageLife(history: $0[0], commits: $0[1])
        }
    }
}
