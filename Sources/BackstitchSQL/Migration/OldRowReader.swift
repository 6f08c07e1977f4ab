import Backstitch

/// Reads the rows of an old model's entity during a migration, from the present places of its columns.
struct OldRowReader {
    private let connection: any SQLConnection
    private let model: ResolvedModel
    private let entity: ResolvedEntity
    /// The entity's table and columns under their present names.
    private let table: ResolvedEntity
    /// The condition for the entity's rows in its table; nil for all rows.
    private let kinds: String?

    private static let pageSize = 500

    init(_ connection: any SQLConnection, _ entity: ResolvedEntity, _ mapping: ModelMapping, at old: LegacySchemaNames)
    {
        self.connection = connection
        let model = mapping.old
        self.model = model
        kinds = FamilyChange.condition(rowsOf: entity, mapping, old)
        self.entity = entity
        table = ResolvedEntity(
            table: old.table(of: entity),
            columns: entity.columns.map {
                // A to-one column holds a key, read like a UUID.
                (old.column(of: $0, in: entity), $0.attribute ?? AttributeDescription($0.name, .uuid))
            })
    }

    /// The rows with keys above `key`, in the order of keys, up to one page.
    func page(after key: ObjectKey?) throws -> [MigrationRow] {
        let statements = EntityStatements(table, dialect: connection.dialect)
        var statement = SQLStatement(
            connection.dialect, "SELECT \(statements.rowColumns) FROM \(statements.aliasedTable)")
        statement.append(" WHERE \(kinds ?? "1 = 1")")
        if let key {
            statement.append(" AND \(statements.aliasedKey) > ")
            statement.append(.key(key))
        }
        statement.append(" ORDER BY \(statements.aliasedKey) LIMIT \(Self.pageSize)")
        statement.isAdHoc = true
        var builder = RowBatchBuilder(entity: table)
        try connection.appendRows(of: statement, entity: table, firstColumn: 0, to: &builder, where: nil)
        let batch = builder.finish()
        return (0..<batch.count).map { row in
            MigrationRow(ObjectID(entityName: entity.name, key: batch.keys[row]), values(row, of: batch))
        }
    }

    private func values(_ row: Int, of batch: RowBatch) -> [String: Value] {
        var values: [String: Value] = [:]
        for column in entity.ownColumns {
            let value = batch.value(row, column.slot)
            if case .uuid(let key) = value, let relationship = column.relationship {
                let destination = model.destination(of: relationship).name
                values[column.name] = .object(ObjectID(entityName: destination, key: ObjectKey(key)))
            } else {
                values[column.name] = value
            }
        }
        return values
    }
}
