import Backstitch
import BackstitchSQL
import Foundation

/// The bytes outside the rows, during the migration of a store that keeps them in its database. They are read and
/// written in the migration's transaction.
struct PostgreSQLMigrationContent: MigrationContent {
    let connection: PostgreSQLConnection
    let store: String

    func read(_ reference: AssetReference) throws -> Data? {
        try PostgreSQLAssets.read(reference, on: connection, store: store)
    }

    func write(_ contents: AssetContents) throws { try PostgreSQLAssets.keep(contents, on: connection) }
}
