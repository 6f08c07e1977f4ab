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

    init(_ connection: any SQLConnection, _ mapping: ModelMapping) {
        self.connection = connection
        self.mapping = mapping
    }

    func run(_ columns: Columns) throws {
        for table in mapping.new.entities where table.isRoot && mapping.tableOrigin(of: table) != nil {
            for column in table.columns {
                guard let attribute = column.attribute, !attribute.storedDefault.isNull else { continue }
                let owners = mapping.new.entities.filter {
                    $0.tableName == table.tableName && $0.owns(column.slot) && lacks(column, $0, columns)
                }
                if !owners.isEmpty { try fill(column, of: owners, with: attribute.storedDefault) }
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
        return entity.family != nil || SQLLiteral.text(attribute.storedDefault, connection.dialect) == nil
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
    /// The default in its stored form; null for bytes that are kept outside the row.
    var storedDefault: Value {
        if allowsExternalStorage { return .null }
        // A default that does not fit is a fault of the model, found at the opening.
        return (try? accept(defaultValue)) ?? .null
    }
}
