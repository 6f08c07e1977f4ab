import Backstitch

/// Lets the database compute derived attributes. Every table that a value depends on has triggers, so writes by any
/// program have the same effect.
///
/// A trigger writes the derived columns of the rows that depend on a written row. It leaves their versions alone,
/// because a user's edits of these rows are not in conflict with it. Only triggers write these columns, because a
/// reader's copy of the row may have an older value.
struct DerivedColumns {
    private let model: ResolvedModel
    private let dialect: any SQLDialect
    private let columns: [DerivedColumn]

    init(_ model: ResolvedModel, _ dialect: some SQLDialect) {
        self.model = model
        self.dialect = dialect
        columns = model.entities.flatMap { entity -> [DerivedColumn] in
            let inherited = Set(entity.lineage.first.flatMap(model.entity(named:))?.ownProperties.map(\.name) ?? [])
            return entity.ownProperties.filter { !inherited.contains($0.name) }.compactMap { property in
                property.derivation.map { DerivedColumn(entity, property, $0, model, dialect) }
            }
        }
    }

    /// The triggers, by the tables that they belong to.
    func triggers() -> [String: [SQLSchemaObject]] {
        var triggers: [String: [SQLSchemaObject]] = [:]
        for column in columns {
            for (number, source) in column.sources.enumerated() {
                triggers[source.table, default: []] += objects(column, source, number + 1)
            }
        }
        return triggers
    }

    /// The statements that compute all columns of all rows, for use after a migration.
    func fills() -> [String] { columns.map { $0.update(where: nil) } }

    /// The functions for the triggers; none if the model has no derived attribute.
    func functions() -> [String] { columns.isEmpty ? [] : dialect.derivedFunctions }

    private func objects(_ column: DerivedColumn, _ source: DerivedColumn.Source, _ number: Int) -> [SQLSchemaObject] {
        let name = SQLNames.shortened("derived.\(column.name).\(number)")
        return dialect.triggers(name, of: column, on: source).map { SQLSchemaObject($0, on: source.table) }
    }
}

extension ResolvedProperty {
    /// Whether the database computes the property.
    var isDerived: Bool { attribute?.derivation != nil }
}
