import Backstitch
import BackstitchSQL
import BackstitchSupport
import Foundation

/// Assets in a table of the store, so that every server has them. A save stores its bytes in its own transaction.
final class PostgreSQLAssets: AssetStorage {
    /// The statement that creates the table.
    static let table =
        "CREATE TABLE backstitch_asset (checksum text COLLATE \"C\" PRIMARY KEY, size bigint NOT NULL, data bytea NOT NULL)"

    private let database: PostgreSQLDatabase

    init(_ database: PostgreSQLDatabase) { self.database = database }

    func reference(to data: Data) -> AssetReference { AssetReference(contentOf: data) }

    /// Stores contents outside a transaction of the store, and keeps those that already exist.
    func write(_ contents: AssetContents) throws {
        try database.read(isSnapshot: false) { try Self.keep(contents, on: $0) }
    }

    /// Stores bytes after a check, and replaces existing ones, because those may be damaged.
    func accept(_ data: Data, as reference: AssetReference) throws {
        guard reference.matches(data) else { throw BackstitchError.notContent(data, of: reference) }
        try database.read(isSnapshot: false) { try Self.keep([reference: .data(data)], on: $0, replacing: true) }
    }

    func read(_ reference: AssetReference) throws -> Data? {
        try database.read(isSnapshot: false) { try Self.read(reference, on: $0, store: database.name) }
    }

    /// Reads bytes on a connection, in its transaction if there is one.
    static func read(_ reference: AssetReference, on connection: PostgreSQLConnection, store: String) throws -> Data? {
        var data: Data?
        try connection.forEachRow(of: statement("SELECT data FROM backstitch_asset WHERE ", reference)) {
            data = Data($0.bytes(0))
        }
        guard let data else { return nil }
        guard reference.matches(data) else {
            throw BackstitchError(
                .asset, "the bytes of asset \(reference.checksum) in \(store) are damaged; fetch the asset again",
                key: reference.checksum)
        }
        return data
    }

    /// Reads a part of an asset. The server sends only that part.
    func read(_ reference: AssetReference, _ range: Range<Int64>) throws -> Data? {
        // A larger asset cannot be here.
        guard reference.size <= Self.mostBytes else { return nil }
        let part = range.clamped(to: 0..<max(reference.size, 0))
        // The numbers are parameters, because each text stays prepared on each connection.
        let text: SQLText = """
            SELECT substring(data FROM \(part.lowerBound + 1)::int FOR \(part.count)::int) FROM backstitch_asset
            WHERE checksum = \(reference.checksum) AND size = \(reference.size)
            """
        var data: Data?
        try database.read(isSnapshot: false) { connection in
            try connection.forEachRow(of: text.statement(connection.dialect)) { data = Data($0.bytes(0)) }
        }
        return data
    }

    func contains(_ reference: AssetReference) -> Bool {
        let count = try? database.read(isSnapshot: false) { connection in
            try connection.query(Self.statement("SELECT 1 FROM backstitch_asset WHERE ", reference)).rowCount
        }
        return count == 1
    }

    /// The assets among these that the table has, found with few queries.
    func present(among references: Set<AssetReference>) -> Set<AssetReference> {
        var present: Set<AssetReference> = []
        try? database.read(isSnapshot: false) { connection in
            for part in Array(references).parts(of: Self.namesOfAQuery) {
                let names = PostgreSQLJSON.array(part.map { .string($0.checksum) })
                let text: SQLText = """
                    SELECT checksum, size FROM backstitch_asset
                    WHERE checksum IN (SELECT wanted FROM \(texts: names))
                    """
                try connection.forEachRow(of: text.statement(connection.dialect)) {
                    present.insert(AssetReference(checksum: $0.text(0), size: $0.int(1)))
                }
            }
        }
        return present.intersection(references)
    }

    func remove(_ reference: AssetReference) throws {
        try database.read(isSnapshot: false) { connection in
            _ = try connection.run(Self.statement("DELETE FROM backstitch_asset WHERE ", reference))
        }
    }

    /// Stores bytes on a connection, in its transaction if there is one.
    ///
    /// - Parameter replacing: Whether existing bytes are replaced, because they may be damaged.
    /// - Throws: ``BackstitchError/Code/asset`` for bytes beyond the size of a PostgreSQL value.
    static func keep(
        _ contents: AssetContents, on connection: PostgreSQLConnection, replacing: Bool = false
    ) throws {
        // In a fixed order, so that two transactions with the same content do not block each other.
        let contents = contents.sorted { $0.key.checksum < $1.key.checksum }
        for (reference, content) in contents where content.size > mostBytes {
            throw BackstitchError(
                .asset,
                "an asset of \(content.size) bytes is too large for a value of PostgreSQL (at most "
                    + "\(mostBytes)); keep the store's assets in a folder, with the option postgresAssetDirectory",
                key: reference.checksum)
        }
        let statement = SQLBulkBuilder(.postgreSQL, [.text, .integer, .bytes]).insert(
            into: "backstitch_asset", ["checksum", "size", "data"],
            " ON CONFLICT (checksum) DO "
                + (replacing ? "UPDATE SET size = excluded.size, data = excluded.data" : "NOTHING"))
        // Files are read into memory one at a time. Bytes already in memory are sent together.
        var rest = contents[...]
        while let first = rest.first {
            let part =
                if case .file = first.value { rest.prefix(1) } else {
                    rest.prefix { if case .data = $0.value { true } else { false } }
                }
            let rows = try part.map { ($0.key, try $0.value.data()) }
            try connection.runEach(statement, count: rows.count) { run, parameters in
                parameters.bind(rows[run].0.checksum, at: 1)
                parameters.bind(rows[run].0.size, at: 2)
                parameters.bind([UInt8](rows[run].1), at: 3)
            } done: { _, _ in
            }
            rest = rest.dropFirst(part.count)
        }
    }

    /// The most bytes of an asset. A value has at most 1 GB, and so has the message with it. Bytes take twice their
    /// length there as text.
    private static let mostBytes: Int64 = 256 << 20

    /// The most names in one query.
    private static let namesOfAQuery = 5_000

    /// A statement with the condition for one asset at its end.
    private static func statement(_ text: String, _ reference: AssetReference) -> SQLStatement {
        var statement = SQLStatement(.postgreSQL, text + "checksum = ")
        statement.append(.text(reference.checksum))
        statement.append(" AND size = ")
        statement.append(.int(reference.size))
        return statement
    }
}
