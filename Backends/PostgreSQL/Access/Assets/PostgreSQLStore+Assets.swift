public import Backstitch
import BackstitchSQL

extension PostgreSQLStore {
    /// The number of contents removed in one transaction.
    private static let collectedAtOnce = 1_000

    /// Removes content without a name in the rows or the outbox; see ``PersistentStore/collectAssets()``. Files in a
    /// folder (``StoreOption/postgresAssetDirectory``) stay, because other stores may name them.
    public func collectAssets() throws -> Int {
        guard !configuration.isReadOnly, keepsAssetsInTransactions, try hasAssets() else { return 0 }
        var count = 0
        while true {
            let removed = try collectSome()
            count += removed
            if removed < Self.collectedAtOnce { return count }
        }
    }

    /// Removes bytes that a server also has, at a moment without saves that name assets; see
    /// ``JournalingStore/removeAssets(_:)``. Files in a folder have no guard, because other stores may name them.
    public func removeAssets(_ choose: (any JournalReading) throws -> [AssetReference]) throws -> Bool {
        guard keepsAssetsInTransactions else {
            try removeAssetsNow(choose)
            return true
        }
        return try database.write(token: configuration.generator.next(), mayRepeat: false) { connection in
            guard try lock("pg_try_advisory_xact_lock", on: connection) else { return false }
            let journal = SQLJournal(connection, statements: statements, isWritable: false)
            defer { journal.close() }
            // Requests that wait for the lock may have all other connections of the pool.
            let doomed = try JournalNesting.run(in: database) { try choose(journal) }
            try remove(doomed.map(\.checksum), on: connection)
            return true
        } number: { _ in
            nil
        }
    }

    /// Deletes contents by their checksums, with one bulk statement.
    private func remove(_ checksums: [String], on connection: PostgreSQLConnection) throws {
        let builder = SQLBulkBuilder(.postgreSQL, [.text])
        let statement = builder.delete(from: "backstitch_asset", where: "checksum = \(builder.value(0))")
        try connection.runEach(statement, count: checksums.count) {
            $1.bind(checksums[$0], at: 1)
        } done: { _, _ in
        }
    }

    private func hasAssets() throws -> Bool {
        let query = SQLStatement(.postgreSQL, "SELECT 1 FROM backstitch_asset LIMIT 1")
        return try database.read(isSnapshot: false) { try $0.query(query).rowCount } == 1
    }

    /// Removes up to ``collectedAtOnce`` unnamed contents; none while the lock is shared.
    private func collectSome() throws -> Int {
        try database.write(token: configuration.generator.next(), mayRepeat: false) { connection in
            guard try lock("pg_try_advisory_xact_lock", on: connection) else { return 0 }
            // Each statement sees the commits before its beginning. So this one also sees the saves that held the lock
            // until now.
            let names = try AssetNames(connection, model: configuration.storedModel).all()
            var unnamed: [String] = []
            let all = SQLStatement(.postgreSQL, "SELECT checksum, size FROM backstitch_asset")
            try connection.forEachRow(of: all) {
                if !names.contains(AssetReference(checksum: $0.text(0), size: $0.int(1))) { unnamed.append($0.text(0)) }
            }
            let doomed = Array(unnamed.prefix(Self.collectedAtOnce))
            try remove(doomed, on: connection)
            return doomed.count
        } number: { _ in
            nil
        }
    }
}

// A transaction that will name content shares a lock until its end. A reader of an old state shares it as long as it
// reads that state. A collection holds the lock alone, and is postponed if it cannot.
extension PostgreSQLStore {
    /// Begins to read one state of the store, and protects the content named there until the end of the transaction.
    /// The result is false during a collection. To wait for the collection within the query would return a state from
    /// before it.
    func pinAssets(on connection: PostgreSQLConnection) throws -> Bool {
        if keepsAssetsInTransactions { return try lock("pg_try_advisory_xact_lock_shared", on: connection) }
        _ = try HistoryReader(connection).lastNumber()
        return true
    }

    /// Calls a lock function that does not wait. The result shows whether the lock was taken.
    private func lock(_ function: String, on connection: PostgreSQLConnection) throws -> Bool {
        var isLocked = false
        try connection.forEachRow(of: statement(function, "::int::bigint")) { isLocked = $0.int(0) == 1 }
        return isLocked
    }

    /// A statement that calls a lock function with the number of the lock on the store's assets.
    func statement(_ function: String, _ type: String = "") -> SQLStatement {
        var statement = SQLStatement(.postgreSQL, "SELECT \(function)(")
        statement.append(.int(PostgreSQLOpener.assetLock(schema)))
        statement.append(")\(type)")
        return statement
    }
}
