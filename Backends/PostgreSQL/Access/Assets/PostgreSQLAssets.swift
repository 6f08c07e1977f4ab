import Backstitch
import BackstitchSQL
import Foundation

/// Assets in a table of the store, so that every server has them. A save keeps its bytes in its own transaction.
final class PostgreSQLAssets: AssetStorage {
    /// The statement that makes the table.
    static let table =
        "CREATE TABLE backstitch_asset (checksum text COLLATE \"C\" PRIMARY KEY, size bigint NOT NULL, data bytea NOT NULL)"

    private let database: PostgreSQLDatabase

    init(_ database: PostgreSQLDatabase) { self.database = database }

    func reference(to data: Data) -> AssetReference { AssetReference(contentOf: data) }

    func write(_ contents: AssetContents) throws {
        try database.read(isSnapshot: false) { try Self.keep(contents, on: $0) }
    }

    func accept(_ data: Data, as reference: AssetReference) throws {
        guard reference.matches(data) else { throw BackstitchError.notContent(data, of: reference) }
        try database.read(isSnapshot: false) { try Self.keep([reference: data], on: $0, replacing: true) }
    }

    func read(_ reference: AssetReference) throws -> Data? {
        var data: Data?
        try database.read(isSnapshot: false) { connection in
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
        let count = try? database.read(isSnapshot: false) { connection in
            try connection.query(Self.statement("SELECT 1 FROM backstitch_asset WHERE ", reference)).rowCount
        }
        return count == 1
    }

    func remove(_ reference: AssetReference) throws {
        try database.read(isSnapshot: false) { connection in
            _ = try connection.run(Self.statement("DELETE FROM backstitch_asset WHERE ", reference))
        }
    }

    /// Keeps bytes on a connection, in its transaction if there is one.
    ///
    /// - Parameter replacing: Whether they go over those that are there, which may be damaged.
    static func keep(
        _ contents: AssetContents, on connection: PostgreSQLConnection, replacing: Bool = false
    ) throws {
        // In one order, so that two that keep the same content do not wait for each other.
        let contents = contents.sorted { $0.key.checksum < $1.key.checksum }
        let statement = SQLBulkBuilder(.postgreSQL, [.text, .integer, .bytes]).insert(
            into: "backstitch_asset", ["checksum", "size", "data"],
            " ON CONFLICT (checksum) DO "
                + (replacing ? "UPDATE SET size = excluded.size, data = excluded.data" : "NOTHING"))
        try connection.runEach(statement, count: contents.count) { run, parameters in
            parameters.bind(contents[run].key.checksum, at: 1)
            parameters.bind(contents[run].key.size, at: 2)
            parameters.bind([UInt8](contents[run].value), at: 3)
        } done: { _, _ in
        }
    }

    private static func statement(_ text: String, _ reference: AssetReference) -> SQLStatement {
        var statement = SQLStatement(.postgreSQL, text + "checksum = ")
        statement.append(.text(reference.checksum))
        statement.append(" AND size = ")
        statement.append(.int(reference.size))
        return statement
    }
}
