package import Backstitch
package import BackstitchSQL

extension PostgreSQLStore: SQLStore {
    /// Each transaction has one: it tells whether the transaction was committed when the connection broke at its end.
    package func makeToken() -> ObjectKey? { configuration.generator.next() }

    package func beginSnapshot() throws -> PostgreSQLSnapshot? {
        try database.makeSnapshot { try pinAssets(on: $0) }
    }

    /// Nobody lets go of files in a folder: other stores may name them. Those in the database are no business of the
    /// shared code.
    package var content: (any CollectedAssets)? { nil }

    /// Keeps content from being collected until the end of the transaction.
    package func shareAssets(on connection: PostgreSQLConnection) throws {
        if keepsAssetsInTransactions {
            try connection.enqueue(statement("pg_advisory_xact_lock_shared"), isWanted: false)
        }
    }

    /// Where they are kept in the database, and not in files.
    package var keepsAssetsInTransactions: Bool { assets is PostgreSQLAssets }

    package func keep(_ contents: AssetContents, on connection: PostgreSQLConnection?) throws {
        if contents.isEmpty { return }
        guard keepsAssetsInTransactions, let connection else { return try assets.write(contents) }
        try PostgreSQLAssets.keep(contents, on: connection)
    }
}
