import Backstitch

/// Gives values to rows that have none, where the new model asks for one.
struct ColumnFill {
    private let connection: any SQLConnection
    private let mapping: ModelMapping

    init(_ connection: any SQLConnection, _ mapping: ModelMapping) {
        self.connection = connection
        self.mapping = mapping
    }

    func run() throws {
        for entity in mapping.new.entities where entity.isRoot && mapping.tableOrigin(of: entity) != nil {
            for column in entity.columns {
                guard let attribute = column.attribute, !attribute.storedDefault.isNull else { continue }
                let before = mapping.origin(of: column, in: entity)?.attribute
                let isMissing =
                    before.map { $0.isOptional && !attribute.isOptional }
                    ?? (entity.family != nil || SQLLiteral.text(attribute.storedDefault, connection.dialect) == nil)
                if isMissing { try fill(column, of: entity, with: attribute.storedDefault) }
            }
        }
    }

    private func fill(_ column: ResolvedProperty, of entity: ResolvedEntity, with value: Value) throws {
        let name = SQLNames.quoted(column.name)
        var statement = SQLStatement(
            connection.dialect, "UPDATE \(SQLNames.quoted(SQLNames.table(of: entity))) SET \(name) = ")
        statement.append(value)
        statement.append(" WHERE \(name) IS NULL\(FamilyChange.condition(ownersOf: column, entity, mapping.new))")
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
