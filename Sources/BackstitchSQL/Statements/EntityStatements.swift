package import Backstitch

/// The statements that read an entity's rows.
package struct EntityStatements: Sendable {
    /// The entity whose rows they read.
    package let entity: ResolvedEntity
    /// The SQL dialect of the statements.
    package let dialect: any SQLDialect

    /// The alias of the entity's table in queries.
    package static let alias = "t0"

    /// The columns for a row batch: key, version, cells.
    package let rowColumns: String

    private let table: String
    private let rowsByKey: String
    /// The query for the row of one key, as look-ups and single faults need it.
    package let rowByKey: String
    private let key = SQLNames.quoted(SQLNames.key)
    private let version = SQLNames.quoted(SQLNames.version)

    /// Creates the statements of `entity`.
    package init(_ entity: ResolvedEntity, dialect: some SQLDialect) {
        self.entity = entity
        self.dialect = dialect
        let table = SQLNames.quoted(SQLNames.table(of: entity))
        self.table = table
        rowColumns = ([SQLNames.key, SQLNames.version] + entity.columns.map(\.columnName))
            .map { "\(Self.alias).\(SQLNames.quoted($0))" }.joined(separator: ", ")
        rowsByKey = "SELECT \(rowColumns) FROM \(table) AS \(Self.alias) WHERE \(Self.alias).\(key)"
        rowByKey = "\(rowsByKey) = \(dialect.placeholder(1))"
    }

    /// The key column with the alias: `t0."_id"`.
    package var aliasedKey: String { "\(Self.alias).\(key)" }

    /// The table with its alias: `"Note" AS t0`.
    package var aliasedTable: String { "\(table) AS \(Self.alias)" }

    /// The rows with these keys.
    package func rows(keys: ArraySlice<ObjectKey>) -> SQLStatement {
        if keys.count == 1, let key = keys.first {
            return SQLStatement(dialect, rowByKey, key: key)
        }
        var statement = SQLStatement(dialect, rowsByKey)
        statement.append(isOneOf: keys)
        return statement
    }

    /// The keys and versions of the rows with these keys.
    package func versions(keys: ArraySlice<ObjectKey>) -> SQLStatement {
        var statement = SQLStatement(dialect, "SELECT \(key), \(version) FROM \(table) WHERE \(key)")
        statement.append(isOneOf: keys)
        return statement
    }

    /// The keys among these that have rows. The rows are locked against deletion until the end of the transaction.
    package func held(keys: ArraySlice<ObjectKey>) -> SQLStatement {
        var statement = SQLStatement(dialect, "SELECT \(key) FROM \(table) WHERE \(key)")
        statement.append(isOneOf: keys)
        statement.append(dialect.rowLock(.keyShare, of: nil))
        return statement
    }

    /// The keys of all rows, in ascending order.
    package var allKeys: SQLStatement {
        let kinds = Self.condition(StoreFetchRequest(entity: entity).entityNames).map { " WHERE \($0)" } ?? ""
        return SQLStatement(dialect, "SELECT \(key) FROM \(aliasedTable)\(kinds) ORDER BY \(key)")
    }

    /// The condition that rows of a family's table belong to these entities. The names of entities have only letters,
    /// digits and underscores, so they need no parameters.
    static func condition(_ entityNames: [String]?) -> String? {
        entityNames.map { names in
            "\(alias).\(SQLNames.quoted(EntityFamily.columnName)) IN (\(names.map { "'\($0)'" }.joined(separator: ", ")))"
        }
    }

    /// The columns for a row batch, or only the key.
    func columns(keysOnly: Bool) -> String { keysOnly ? aliasedKey : rowColumns }

    /// The query for the rows that refer to others by a to-one column, up to the others' keys. It returns that column,
    /// then the row.
    func referringHead(by column: ResolvedProperty, keysOnly: Bool) -> String {
        let name = "\(Self.alias).\(SQLNames.quoted(column.columnName))"
        return "SELECT \(name), \(columns(keysOnly: keysOnly)) FROM \(aliasedTable) WHERE \(name)"
    }

    /// The query for the rows of `destination` that a to-one column of this entity refers to, up to the keys of this
    /// entity's rows. It returns this row's key, then the destination's row.
    func referredHead(by column: ResolvedProperty, to destination: EntityStatements, keysOnly: Bool) -> String {
        "SELECT s.\(key), \(destination.columns(keysOnly: keysOnly)) FROM \(table) AS s "
            + "JOIN \(destination.aliasedTable) ON \(destination.aliasedKey) = s.\(SQLNames.quoted(column.columnName)) "
            + "WHERE s.\(key)"
    }
}
