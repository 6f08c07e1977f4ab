import BackstitchSQL

/// The history and the secret of a storage.
extension ZoneSnapshot {
    /// The current history and number of commits; nil before the first start.
    func life() throws -> StorageLife? {
        try one("SELECT history, commits FROM life") { StorageLife(history: $0.int(0), commits: $0.int(1)) }
    }

    /// The secret of the storage; nil before the first start of a server.
    func secret() throws -> [UInt8]? {
        try one("SELECT value FROM setting WHERE name = 'secret'") { $0.bytes(0) }
    }
}

/// The writes of history, counted commits and secret.
extension ZoneTransaction {
    /// Writes history and number of commits, in the table's only row.
    func setLife(_ life: StorageLife) throws {
        try execute(
            """
            INSERT INTO life ("only", history, commits) VALUES (1, \(life.history), \(life.commits))
            ON CONFLICT ("only") DO UPDATE SET history = excluded.history, commits = excluded.commits
            """)
    }

    /// Writes a row with its present values, to find out whether the disk has room.
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
}
