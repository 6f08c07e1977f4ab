import Backstitch
import BackstitchSQL
import Foundation

/// Assets in a table of the store, so that every server has them. One statement each, in a transaction of its own.
final class PostgreSQLAssets: AssetStorage {
    /// The statement that makes the table.
    static let table =
        "CREATE TABLE backstitch_asset (checksum text COLLATE \"C\" PRIMARY KEY, size bigint NOT NULL, data bytea NOT NULL)"

    private let database: PostgreSQLDatabase

    init(_ database: PostgreSQLDatabase) { self.database = database }

    func write(_ data: Data) throws -> AssetReference {
        let reference = AssetReference(contentOf: data)
        try keep(data, reference)
        return reference
    }

    func accept(_ data: Data, as reference: AssetReference) throws {
        guard reference.matches(data) else { throw BackstitchError.notContent(data, of: reference) }
        try keep(data, reference)
    }

    func read(_ reference: AssetReference) throws -> Data? {
        var data: Data?
        try database.read { connection in
            try connection.forEachRow(of: Self.statement("SELECT data FROM backstitch_asset WHERE ", reference)) {
                data = Data($0.bytes(0))
            }
        }
        guard let data else { return nil }
        guard reference.matches(data) else {
            throw BackstitchError(
                .asset,
                "the bytes of asset \(reference.checksum) in \(database.name) are damaged; fetch the asset again",
                key: reference.checksum)
        }
        return data
    }

    func contains(_ reference: AssetReference) -> Bool {
        let count = try? database.read { connection in
            try connection.query(Self.statement("SELECT 1 FROM backstitch_asset WHERE ", reference)).rowCount
        }
        return count == 1
    }

    func remove(_ reference: AssetReference) throws {
        try database.read { connection in
            _ = try connection.run(Self.statement("DELETE FROM backstitch_asset WHERE ", reference))
        }
    }

    /// Equal content has an equal name, so running it twice changes nothing.
    private func keep(_ data: Data, _ reference: AssetReference) throws {
        var statement = SQLStatement(.postgreSQL, "INSERT INTO backstitch_asset (checksum, size, data) VALUES (")
        statement.append(.text(reference.checksum))
        statement.append(", ")
        statement.append(.int(reference.size))
        statement.append(", ")
        statement.append(.data(data))
        statement.append(") ON CONFLICT (checksum) DO UPDATE SET size = excluded.size, data = excluded.data")
        try database.read { _ = try $0.run(statement) }
    }

    private static func statement(_ text: String, _ reference: AssetReference) -> SQLStatement {
        var statement = SQLStatement(.postgreSQL, text + "checksum = ")
        statement.append(.text(reference.checksum))
        statement.append(" AND size = ")
        statement.append(.int(reference.size))
        return statement
    }
}
