import Backstitch

/// Has the database compute derived attributes: by triggers on every table that a value depends on, so that it does not
/// matter who writes.
///
/// A trigger writes the derived columns of the rows that a written row concerns, and leaves their versions alone: for
/// whoever edits them nothing has changed. Nobody else writes them: whoever has read a row has an older value by then.
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

    /// Statements that compute all columns of all rows: after a migration.
    func fills() -> [String] { columns.map { $0.update(where: nil) } }

    /// The functions that triggers use.
    func functions() -> [String] { columns.isEmpty ? [] : dialect.derivedFunctions }

    private func objects(_ column: DerivedColumn, _ source: DerivedColumn.Source, _ number: Int) -> [SQLSchemaObject] {
        let name = SQLNames.shortened("derived.\(column.name).\(number)")
        return dialect.triggers(name, of: column, on: source).map { SQLSchemaObject($0, on: source.table) }
    }
}

extension ResolvedProperty {
    /// Whether the database computes it.
    var isDerived: Bool { attribute?.derivation != nil }
}
