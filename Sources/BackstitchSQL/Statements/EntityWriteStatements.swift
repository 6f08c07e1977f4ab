package import Backstitch

/// The statements that write an entity's rows.
package struct EntityWriteStatements: Sendable {
    /// Inserts a row at version 1, and changes nothing if its key is taken. With unique constraints this also applies
    /// to their values. The save then finds out which value it was.
    package let insert: SQLRowStatement
    /// Inserts a row at version 1, or replaces the row with its key, except for derived columns, and raises the version
    /// by one.
    package let upsert: SQLRowStatement
    /// Deletes a row if the stored version is still the row's version.
    package let deleteUnchanged: SQLRowStatement
    /// Deletes a row of any version; its parameter is the key.
    package let delete: SQLBulkStatement

    let entity: ResolvedEntity
    private let text: WriteText

    /// Creates the statements of `entity`.
    package init(_ entity: ResolvedEntity, dialect: some SQLDialect) {
        self.entity = entity
        let text = WriteText(entity, dialect: dialect)
        self.text = text
        insert = text.insert
        upsert = text.upsert
        deleteUnchanged = text.deleteUnchanged
        delete = text.delete
    }

    /// Writes some columns of a row and raises its version by one, if the stored version is still the row's version.
    package func update(_ columns: [Int]) -> SQLRowStatement { text.update(columns) }
}

/// Builds the statements' texts.
private struct WriteText {
    private let entity: ResolvedEntity
    private let dialect: any SQLDialect
    private let table: String
    private let key = SQLNames.quoted(SQLNames.key)
    private let version = SQLNames.quoted(SQLNames.version)

    init(_ entity: ResolvedEntity, dialect: some SQLDialect) {
        self.entity = entity
        self.dialect = dialect
        table = SQLNames.quoted(SQLNames.table(of: entity))
    }

    var insert: SQLRowStatement {
        var statement = insertion(
            entity.uniquenessConstraints.isEmpty ? " ON CONFLICT (\(key)) DO NOTHING" : " ON CONFLICT DO NOTHING")
        if dialect.isRemote { statement.unopposed = insertion("", returning: nothing).bulk }
        statement.copy = dialect.copy(into: table, columnNames)
        return statement
    }

    var upsert: SQLRowStatement {
        let values = entity.columns.filter { !$0.isDerived }.map {
            "\(SQLNames.quoted($0.columnName)) = excluded.\(SQLNames.quoted($0.columnName))"
        }
        let assignments = (values + ["\(version) = \(table).\(version) + 1"]).joined(separator: ", ")
        return insertion(" ON CONFLICT (\(key)) DO UPDATE SET \(assignments)")
    }

    func update(_ columns: [Int]) -> SQLRowStatement { checked { update(columns, returning: $0) } }

    var deleteUnchanged: SQLRowStatement { checked(deleteUnchanged(returning:)) }

    private func update(_ columns: [Int], returning: KeyColumns) -> SQLRowStatement {
        let builder = SQLBulkBuilder(dialect, columns.map { .column(entity.properties[$0]) } + [.key, .integer])
        let values = columns.enumerated().map {
            "\(SQLNames.quoted(entity.properties[$0.element].columnName)) = \(builder.value($0.offset))"
        }
        return SQLRowStatement(
            bulk: builder.update(
                table, set: values + ["\(version) = \(table).\(version) + 1"],
                where: "\(table).\(key) = \(builder.value(columns.count)) "
                    + "AND \(table).\(version) = \(builder.value(columns.count + 1))",
                returning: returning(columns.count)),
            parameters: columns.map { .cell($0) } + [.key, .version])
    }

    private func deleteUnchanged(returning: KeyColumns) -> SQLRowStatement {
        let builder = SQLBulkBuilder(dialect, [.key, .integer])
        return SQLRowStatement(
            bulk: builder.delete(
                from: table,
                where: "\(table).\(key) = \(builder.value(0)) AND \(table).\(version) = \(builder.value(1))",
                returning: returning(0)),
            parameters: [.key, .version])
    }

    var delete: SQLBulkStatement {
        let builder = SQLBulkBuilder(dialect, [.key])
        return builder.delete(
            from: table, where: "\(table).\(key) = \(builder.value(0))", returning: itsKey(0))
    }

    /// The columns that a statement returns of a row, by the position of the key among its parameters.
    private typealias KeyColumns = (Int) -> [(column: String, parameter: Int)]

    private func itsKey(_ parameter: Int) -> [(column: String, parameter: Int)] { [("\(table).\(key)", parameter)] }

    private func nothing(_ parameter: Int) -> [(column: String, parameter: Int)] { [] }

    /// A statement that returns the rows of the expected version. A database behind a network also gets one that shows
    /// only whether some are of another version.
    private func checked(_ statement: (KeyColumns) -> SQLRowStatement) -> SQLRowStatement {
        var checked = statement(itsKey)
        if dialect.isRemote { checked.unopposed = statement(nothing).bulk }
        return checked
    }

    private var columnNames: [String] {
        ([SQLNames.key, SQLNames.version] + entity.columns.map(\.columnName)).map(SQLNames.quoted)
    }

    private func insertion(_ ending: String) -> SQLRowStatement { insertion(ending, returning: itsKey) }

    private func insertion(_ ending: String, returning: KeyColumns) -> SQLRowStatement {
        let builder = SQLBulkBuilder(dialect, [.key] + entity.columns.map { .column($0) })
        return SQLRowStatement(
            bulk: builder.insert(
                into: table, columnNames, values: [builder.value(0), "1"] + builder.values.dropFirst(), ending,
                returning: returning(0)),
            parameters: [.key] + entity.columns.map { .cell($0.slot) })
    }
}
