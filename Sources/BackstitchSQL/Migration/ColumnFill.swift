import Backstitch

/// Gives values to rows that have none, where the new model asks for one.
struct ColumnFill {
    /// The columns that are filled.
    enum Columns {
        /// Those that the old model did not have.
        case new
        /// Those in which the old model let values be missing. They are filled after the code of a stage, which still
        /// reads that there was no value.
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

    /// Whether rows of an entity have no value where they should have the attribute's default.
    private func lacks(_ column: ResolvedProperty, _ entity: ResolvedEntity, _ columns: Columns) -> Bool {
        guard let attribute = column.attribute else { return false }
        if let before = mapping.origin(of: column, for: entity)?.attribute {
            return columns == .former && before.isOptional && !attribute.isOptional
        }
        guard columns == .new else { return false }
        // A table of one entity has given its new column the default, where the default can be written in SQL.
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
    /// The default in the form in which rows keep it; none for bytes that are kept elsewhere.
    var storedDefault: Value {
        if allowsExternalStorage { return .null }
        // A default that does not fit is a fault of the model, which was found when it was opened.
        return (try? accept(defaultValue)) ?? .null
    }
}
