package import Backstitch

/// The statements that read and write an entity's rows.
package struct EntityStatements: Sendable {
    /// The entity.
    package let entity: ResolvedEntity
    /// The SQL that they are in.
    package let dialect: SQLDialect

    /// The alias of the entity's table in queries.
    package static let alias = "t0"

    private let table: String
    private let key = SQLNames.quoted(SQLNames.key)
    private let version = SQLNames.quoted(SQLNames.version)

    /// The statements of `entity`.
    package init(_ entity: ResolvedEntity, dialect: SQLDialect) {
        self.entity = entity
        self.dialect = dialect
        table = SQLNames.quoted(SQLNames.table(of: entity))
    }

    /// `t0."_id"`.
    package var aliasedKey: String { "\(Self.alias).\(key)" }

    /// The columns of a row batch: key, version, cells.
    package var rowColumns: String {
        ([SQLNames.key, SQLNames.version] + entity.columns.map(\.name))
            .map { "\(Self.alias).\(SQLNames.quoted($0))" }.joined(separator: ", ")
    }

    /// `"Note" AS t0`.
    package var aliasedTable: String { "\(table) AS \(Self.alias)" }

    /// The rows with these keys.
    package func rows(keys: ArraySlice<ObjectKey>) -> SQLStatement {
        var statement = SQLStatement(dialect, "SELECT \(rowColumns) FROM \(aliasedTable) WHERE \(aliasedKey)")
        statement.append(isOneOf: keys)
        return statement
    }

    /// Keys and versions of the rows with these keys.
    package func versions(keys: ArraySlice<ObjectKey>) -> SQLStatement {
        var statement = SQLStatement(dialect, "SELECT \(key), \(version) FROM \(table) WHERE \(key)")
        statement.append(isOneOf: keys)
        return statement
    }

    /// The keys of all rows, rising.
    package var allKeys: SQLStatement { SQLStatement(dialect, "SELECT \(key) FROM \(table) ORDER BY \(key)") }

    /// The rows that refer by a to-one column to one of these keys: that column, then the row.
    package func referring(by column: ResolvedProperty, to keys: ArraySlice<ObjectKey>) -> SQLStatement {
        let name = "\(Self.alias).\(SQLNames.quoted(column.name))"
        var statement = SQLStatement(dialect, "SELECT \(name), \(rowColumns) FROM \(aliasedTable) WHERE \(name)")
        statement.append(isOneOf: keys)
        return statement
    }

    /// The rows of `destination` that a to-one column of this entity's rows with these keys refers to: this row's key,
    /// then the destination's row.
    package func referred(
        by column: ResolvedProperty, from keys: ArraySlice<ObjectKey>, to destination: EntityStatements
    ) -> SQLStatement {
        var statement = SQLStatement(
            dialect,
            "SELECT s.\(key), \(destination.rowColumns) FROM \(table) AS s "
                + "JOIN \(destination.aliasedTable) ON \(destination.aliasedKey) = s.\(SQLNames.quoted(column.name)) "
                + "WHERE s.\(key)")
        statement.append(isOneOf: keys)
        return statement
    }

    /// Inserts a row at version 1, and changes nothing where its key is taken.
    package var insert: (text: String, parameters: [SQLRowParameter]) {
        ("\(insertion) ON CONFLICT (\(key)) DO NOTHING", [.key] + cells)
    }

    /// Inserts a row at version 1, or replaces the one with its key and raises the version by one.
    package var upsert: (text: String, parameters: [SQLRowParameter]) {
        let values = entity.columns.map { "\(SQLNames.quoted($0.name)) = excluded.\(SQLNames.quoted($0.name))" }
        let assignments = (values + ["\(version) = \(table).\(version) + 1"]).joined(separator: ", ")
        return ("\(insertion) ON CONFLICT (\(key)) DO UPDATE SET \(assignments)", [.key] + cells)
    }

    /// Writes some columns of a row and raises its version by one, if the stored version is still the row's.
    package func update(_ columns: [Int]) -> (text: String, parameters: [SQLRowParameter]) {
        let values = columns.enumerated().map {
            "\(SQLNames.quoted(entity.properties[$0.element].name)) = \(dialect.placeholder($0.offset + 1))"
        }
        let assignments = (values + ["\(version) = \(version) + 1"]).joined(separator: ", ")
        return (
            "UPDATE \(table) SET \(assignments) WHERE \(key) = \(dialect.placeholder(columns.count + 1)) "
                + "AND \(version) = \(dialect.placeholder(columns.count + 2))",
            columns.map { .cell($0) } + [.key, .version]
        )
    }

    /// Deletes a row if the stored version is still the row's.
    package var deleteUnchanged: (text: String, parameters: [SQLRowParameter]) {
        (
            "DELETE FROM \(table) WHERE \(key) = \(dialect.placeholder(1)) AND \(version) = \(dialect.placeholder(2))",
            [.key, .version]
        )
    }

    /// Deletes a row of whatever version; its parameter is the key.
    package var delete: String { "DELETE FROM \(table) WHERE \(key) = \(dialect.placeholder(1))" }

    private var cells: [SQLRowParameter] { entity.columns.map { .cell($0.slot) } }

    private var insertion: String {
        let names = ([SQLNames.key, SQLNames.version] + entity.columns.map(\.name)).map(SQLNames.quoted)
        let values = [dialect.placeholder(1), "1"] + cells.indices.map { dialect.placeholder($0 + 2) }
        return "INSERT INTO \(table) (\(names.joined(separator: ", "))) VALUES (\(values.joined(separator: ", ")))"
    }
}
