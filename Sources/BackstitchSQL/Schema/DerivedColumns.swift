import Backstitch

/// Has the database compute derived attributes: by triggers on every table that a value depends on, so that it does not matter
/// who writes.
///
/// A trigger writes the derived columns of the rows that a written row concerns, and leaves their versions alone: for whoever edits
/// them nothing has changed.
struct DerivedColumns {
    private let model: ResolvedModel
    private let dialect: SQLDialect
    private let columns: [DerivedColumn]

    init(_ model: ResolvedModel, _ dialect: SQLDialect) {
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
    func triggers() -> [String: [String]] {
        var triggers: [String: [String]] = [:]
        for column in columns {
            for (number, source) in column.sources.enumerated() {
                triggers[source.table, default: []] += statements(column, source, number + 1)
            }
        }
        return triggers
    }

    /// Statements that compute all columns of all rows: after a migration.
    func fills() -> [String] { columns.map { $0.update(where: nil) } }

    /// The functions that triggers use.
    func functions() -> [String] {
        dialect == .postgreSQL && !columns.isEmpty ? [Self.derive, PostgreSQLFunctions.uppercaseStatement] : []
    }

    private func statements(_ column: DerivedColumn, _ source: DerivedColumn.Source, _ number: Int) -> [String] {
        let name = SQLNames.shortened("derived.\(column.name).\(number)")
        let table = SQLNames.quoted(source.table)
        let changed = source.columns.map(SQLNames.quoted).joined(separator: ", ")
        guard dialect == .sqlite else {
            let row = "($1)."
            let condition = source.condition(row)
            let events =
                (["INSERT"] + (source.isOwn ? [] : ["DELETE"]) + (changed.isEmpty ? [] : ["UPDATE OF \(changed)"]))
                .joined(separator: " OR ")
            let arguments = [column.update(where: condition), column.lock(where: condition)].map {
                "'" + $0.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
            }
            return [
                "CREATE TRIGGER \(SQLNames.quoted(name)) AFTER \(events) ON \(table) FOR EACH ROW "
                    + "EXECUTE FUNCTION \(Self.deriveName)(\(arguments.joined(separator: ", ")))"
            ]
        }
        let old = column.update(where: source.condition("OLD.")), new = column.update(where: source.condition("NEW."))
        func trigger(_ event: String, _ kind: String, _ bodies: [String]) -> String {
            "CREATE TRIGGER \(SQLNames.quoted("\(name).\(kind)")) AFTER \(event) ON \(table) BEGIN "
                + bodies.map { $0 + "; " }.joined() + "END"
        }
        var triggers = [trigger("INSERT", "insert", [new])]
        if !source.isOwn { triggers.append(trigger("DELETE", "delete", [old])) }
        if !changed.isEmpty {
            triggers.append(trigger("UPDATE OF \(changed)", "update", source.isOwn ? [new] : [old, new]))
        }
        return triggers
    }

    private static let deriveName = "backstitch_derive"

    /// Two transactions may write rows that the same derived value depends on. The one that waits for the other must count what that
    /// one wrote, so the rows are locked by a statement of their own, before the one that computes begins.
    private static let derive = """
        CREATE OR REPLACE FUNCTION \(deriveName)() RETURNS trigger LANGUAGE plpgsql AS $body$
        BEGIN
            IF TG_OP <> 'INSERT' THEN
                EXECUTE TG_ARGV[1] USING OLD;
                EXECUTE TG_ARGV[0] USING OLD;
            END IF;
            IF TG_OP <> 'DELETE' THEN
                EXECUTE TG_ARGV[1] USING NEW;
                EXECUTE TG_ARGV[0] USING NEW;
            END IF;
            RETURN NULL;
        END
        $body$
        """
}
