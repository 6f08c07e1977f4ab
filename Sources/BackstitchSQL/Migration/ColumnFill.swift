import Backstitch

/// Gives default values to rows without a value, if the new model requires one.
struct ColumnFill {
    /// The columns to fill.
    enum Columns {
        /// Columns that the old model did not have.
        case new
        /// Columns whose values could be missing in the old model. They are filled after the code of a stage, so that
        /// the code still sees the missing values.
        case former
    }

    private let connection: any SQLConnection
    private let mapping: ModelMapping
    private let content: any MigrationContent

    init(_ connection: any SQLConnection, _ mapping: ModelMapping, _ content: any MigrationContent) {
        self.connection = connection
        self.mapping = mapping
        self.content = content
    }

    func run(_ columns: Columns) throws {
        for table in mapping.new.entities where table.isRoot && mapping.tableOrigin(of: table) != nil {
            for column in table.columns {
                guard let attribute = column.attribute, !attribute.storedDefault.isNull else { continue }
                let owners = mapping.new.entities.filter {
                    $0.tableName == table.tableName && $0.owns(column.slot) && lacks(column, $0, columns)
                }
                if owners.isEmpty { continue }
                try fill(column, of: owners, with: content.stored(attribute.storedDefault, for: attribute))
            }
        }
    }

    /// Whether rows of an entity have no value, but need the attribute's default.
    private func lacks(_ column: ResolvedProperty, _ entity: ResolvedEntity, _ columns: Columns) -> Bool {
        guard let attribute = column.attribute else { return false }
        if let before = mapping.origin(of: column, for: entity)?.attribute {
            return columns == .former && before.isOptional && !attribute.isOptional
        }
        guard columns == .new else { return false }
        // A table of one entity has already given its new column the default, if SQL can write that default.
        return entity.family != nil || attribute.defaultLiteral(connection.dialect) == nil
    }

    private func fill(_ column: ResolvedProperty, of entities: [ResolvedEntity], with value: Value) throws {
        let name = SQLNames.quoted(column.columnName)
        var statement = SQLStatement(
            connection.dialect, "UPDATE \(SQLNames.quoted(SQLNames.table(of: entities[0]))) SET \(name) = ")
        statement.append(value)
        statement.append(" WHERE \(name) IS NULL\(FamilyChange.condition(rowsOf: entities))")
        statement.isAdHoc = true
        try connection.run(statement)
    }
}

extension AttributeDescription {
    /// The default in the form that the attribute accepts.
    var storedDefault: Value {
        // A default that does not fit is a fault of the model, found at the opening.
        (try? accept(defaultValue)) ?? .null
    }

    /// The default for a column's declaration. Nil if it has no literal, or if its bytes are kept outside the row.
    func defaultLiteral(_ dialect: some SQLDialect) -> String? {
        allowsExternalStorage ? nil : SQLLiteral.text(storedDefault, dialect)
    }
}
