package import Backstitch
package import BackstitchSQL

extension PostgreSQLStore: SQLStore {
    /// Makes a token for each transaction. If the connection breaks during the commit, the token shows whether it was
    /// committed.
    package func makeToken() -> ObjectKey? { configuration.generator.next() }

    package func beginSnapshot() throws -> PostgreSQLSnapshot? {
        try database.makeSnapshot { try pinAssets(on: $0) }
    }

    /// Nil: files in a folder are never removed, because other stores may name them. The shared code does not handle
    /// assets in the database.
    package var content: (any CollectedAssets)? { nil }

    /// Keeps content from being collected until the end of the transaction.
    package func shareAssets(on connection: PostgreSQLConnection) throws {
        if keepsAssetsInTransactions {
            try connection.enqueue(statement("pg_advisory_xact_lock_shared"), isWanted: false)
        }
    }

    /// Whether bytes are kept in the database, and not in files.
    package var keepsAssetsInTransactions: Bool { assets is PostgreSQLAssets }

    package func keep(_ contents: AssetContents, on connection: PostgreSQLConnection?) throws {
        if contents.isEmpty { return }
        guard keepsAssetsInTransactions, let connection else { return try assets.write(contents) }
        try PostgreSQLAssets.keep(contents, on: connection)
    }
}
