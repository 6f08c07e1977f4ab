package import Backstitch

/// The statements that read and write an entity's rows.
package struct EntityStatements: Sendable {
    /// The entity.
    package let entity: ResolvedEntity
    /// The SQL that they are in.
    package let dialect: SQLDialect

    /// The alias of the entity's table in queries.
    package static let alias = "t0"

    /// The columns of a row batch: key, version, cells.
    package let rowColumns: String

    private let table: String
    private let rowsByKey: String
    /// The same for one key, in SQLite, where it is what look-ups and single faults ask for.
    private let rowByKey: String
    private let key = SQLNames.quoted(SQLNames.key)
    private let version = SQLNames.quoted(SQLNames.version)

    /// The statements of `entity`.
    package init(_ entity: ResolvedEntity, dialect: SQLDialect) {
        self.entity = entity
        self.dialect = dialect
        let table = SQLNames.quoted(SQLNames.table(of: entity))
        self.table = table
        rowColumns = ([SQLNames.key, SQLNames.version] + entity.columns.map(\.name))
            .map { "\(Self.alias).\(SQLNames.quoted($0))" }.joined(separator: ", ")
        rowsByKey = "SELECT \(rowColumns) FROM \(table) AS \(Self.alias) WHERE \(Self.alias).\(key)"
        rowByKey = "\(rowsByKey) = \(dialect.placeholder(1))"
    }

    /// `t0."_id"`.
    package var aliasedKey: String { "\(Self.alias).\(key)" }

    /// `"Note" AS t0`.
    package var aliasedTable: String { "\(table) AS \(Self.alias)" }

    /// The rows with these keys.
    package func rows(keys: ArraySlice<ObjectKey>) -> SQLStatement {
        if dialect == .sqlite, keys.count == 1, let key = keys.first {
            return SQLStatement(dialect, rowByKey, key: key)
        }
        var statement = SQLStatement(dialect, rowsByKey)
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
    package var allKeys: SQLStatement {
        let kinds = Self.condition(StoreFetchRequest(entity: entity).entityNames).map { " WHERE \($0)" } ?? ""
        return SQLStatement(dialect, "SELECT \(key) FROM \(aliasedTable)\(kinds) ORDER BY \(key)")
    }

    /// The condition that rows of a family's table are of these entities. Names of entities are letters, digits and underscores.
    static func condition(_ entityNames: [String]?) -> String? {
        entityNames.map { names in
            "\(alias).\(SQLNames.quoted(EntityFamily.columnName)) IN (\(names.map { "'\($0)'" }.joined(separator: ", ")))"
        }
    }

    /// The columns of a row batch, or the key only.
    func columns(keysOnly: Bool) -> String { keysOnly ? aliasedKey : rowColumns }

    /// The rows that refer by a to-one column to one of these keys: that column, then the row.
    package func referring(
        by column: ResolvedProperty, to keys: ArraySlice<ObjectKey>, keysOnly: Bool = false
    ) -> SQLStatement {
        let name = "\(Self.alias).\(SQLNames.quoted(column.name))"
        var statement = SQLStatement(
            dialect, "SELECT \(name), \(columns(keysOnly: keysOnly)) FROM \(aliasedTable) WHERE \(name)")
        statement.append(isOneOf: keys)
        return statement
    }

    /// The rows of `destination` that a to-one column of this entity's rows with these keys refers to: this row's key,
    /// then the destination's row.
    package func referred(
        by column: ResolvedProperty, from keys: ArraySlice<ObjectKey>, to destination: EntityStatements,
        keysOnly: Bool = false
    ) -> SQLStatement {
        var statement = SQLStatement(
            dialect,
            "SELECT s.\(key), \(destination.columns(keysOnly: keysOnly)) FROM \(table) AS s "
                + "JOIN \(destination.aliasedTable) ON \(destination.aliasedKey) = s.\(SQLNames.quoted(column.name)) "
                + "WHERE s.\(key)")
        statement.append(isOneOf: keys)
        return statement
    }

    /// Inserts a row at version 1, and changes nothing where its key is taken.
    /// With unique constraints the same goes for their values: which of them it is, a save finds out.
    package var insert: SQLRowStatement {
        var statement = insertion(
            entity.uniquenessConstraints.isEmpty ? " ON CONFLICT (\(key)) DO NOTHING" : " ON CONFLICT DO NOTHING")
        if dialect == .postgreSQL {
            statement.unopposed = insertion("", returnsKeys: false).bulk
            statement.copy = "COPY \(table) (\(columnNames.joined(separator: ", "))) FROM STDIN (FORMAT binary)"
        }
        return statement
    }

    /// Inserts a row at version 1, or replaces the one with its key and raises the version by one.
    package var upsert: SQLRowStatement {
        let values = entity.columns.map { "\(SQLNames.quoted($0.name)) = excluded.\(SQLNames.quoted($0.name))" }
        let assignments = (values + ["\(version) = \(table).\(version) + 1"]).joined(separator: ", ")
        return insertion(" ON CONFLICT (\(key)) DO UPDATE SET \(assignments)")
    }

    /// Writes some columns of a row and raises its version by one, if the stored version is still the row's.
    package func update(_ columns: [Int]) -> SQLRowStatement {
        let builder = SQLBulkBuilder(dialect, columns.map { .column(entity.properties[$0]) } + [.key, .integer])
        let values = columns.enumerated().map {
            "\(SQLNames.quoted(entity.properties[$0.element].name)) = \(builder.value($0.offset))"
        }
        return SQLRowStatement(
            bulk: builder.update(
                table, set: values + ["\(version) = \(table).\(version) + 1"],
                where: "\(table).\(key) = \(builder.value(columns.count)) "
                    + "AND \(table).\(version) = \(builder.value(columns.count + 1))",
                returning: [("\(table).\(key)", columns.count)]),
            parameters: columns.map { .cell($0) } + [.key, .version])
    }

    /// Deletes a row if the stored version is still the row's.
    package var deleteUnchanged: SQLRowStatement {
        let builder = SQLBulkBuilder(dialect, [.key, .integer])
        return SQLRowStatement(
            bulk: builder.delete(
                from: table,
                where: "\(table).\(key) = \(builder.value(0)) AND \(table).\(version) = \(builder.value(1))",
                returning: [("\(table).\(key)", 0)]),
            parameters: [.key, .version])
    }

    /// Deletes a row of whatever version; its parameter is the key.
    package var delete: SQLBulkStatement {
        let builder = SQLBulkBuilder(dialect, [.key])
        return builder.delete(
            from: table, where: "\(table).\(key) = \(builder.value(0))", returning: [("\(table).\(key)", 0)])
    }

    private var columnNames: [String] {
        ([SQLNames.key, SQLNames.version] + entity.columns.map(\.name)).map(SQLNames.quoted)
    }

    private func insertion(_ ending: String, returnsKeys: Bool = true) -> SQLRowStatement {
        let builder = SQLBulkBuilder(dialect, [.key] + entity.columns.map { .column($0) })
        return SQLRowStatement(
            bulk: builder.insert(
                into: table, columnNames, values: [builder.value(0), "1"] + builder.values.dropFirst(), ending,
                returning: returnsKeys ? [("\(table).\(key)", 0)] : []),
            parameters: [.key] + entity.columns.map { .cell($0.slot) })
    }
}
