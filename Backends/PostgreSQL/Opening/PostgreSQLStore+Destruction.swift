public import Backstitch
import BackstitchSQL
public import Foundation

extension PostgreSQLStore {
    /// Drops the store's schema with all its content. A folder of assets (``StoreOption/postgresAssetDirectory``)
    /// stays, because other stores may share it.
    public static func destroy(at url: URL?, options: StoreOptions) throws {
        let options = try PostgreSQLOptions(url: url, options: options)
        let name = options.address.summary(schema: options.schema)
        do {
            let connection = try PostgreSQLPool(options, name: name).makeConnection()
            defer { connection.link.close() }
            try connection.begin(.writing)
            do {
                try drop(options.schema, on: connection, name: name)
                try connection.commit()
            } catch {
                connection.rollback()
                throw error
            }
        } catch {
            throw PostgreSQLFailure.explain(error, store: name)
        }
    }

    /// Drops a schema in a transaction, unless it has tables of another program.
    private static func drop(_ schema: String, on connection: PostgreSQLConnection, name: String) throws {
        _ = try connection.query(PostgreSQLOpener.lock(schema))
        try StoreIdentity(connection, schema: schema)
            .checkRemoval(store: name, stranger: "has tables of another program")
        var statement = SQLStatement(.postgreSQL, "DROP SCHEMA IF EXISTS \(SQLNames.quoted(schema)) CASCADE")
        statement.isAdHoc = true
        _ = try connection.query(statement)
    }
}
