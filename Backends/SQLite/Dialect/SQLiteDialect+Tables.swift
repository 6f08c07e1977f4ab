import Backstitch
import BackstitchSQL
import BackstitchSupport
import Foundation

extension SQLiteDialect {
    var types: SQLSystemTypes {
        SQLSystemTypes(text: "TEXT", integer: "INTEGER", bytes: "BLOB", key: "BLOB", flag: "INTEGER")
    }

    func type(of property: ResolvedProperty) -> String {
        guard let attribute = property.attribute else { return "BLOB" }
        return switch attribute.type {
        case .integer16, .integer32, .integer64, .boolean, .date: "INTEGER"
        case .double, .float: ""
        case .decimal, .string, .uri: "TEXT"
        case .binary: attribute.allowsExternalStorage ? "TEXT" : "BLOB"
        case .uuid, .transformable: "BLOB"
        }
    }

    var keyedTableEnding: String { " WITHOUT ROWID" }

    var numberedKey: String { "INTEGER PRIMARY KEY" }

    func tableEnding(_ kind: SQLTableKind) -> String {
        switch kind {
        case .keyed, .counters: " STRICT, WITHOUT ROWID"
        case .wide: " STRICT"
        }
    }

    var reservedPrefixes: [String] { ["sqlite_"] }

    /// Adds a column with a default, which SQLite cannot drop again. Inserts of this version give all columns. So the
    /// default is only for the existing rows, and for those of a program that still uses the older model.
    func addition(of column: String, _ declaration: String, to table: String, default literal: String?) -> [String] {
        ["ALTER TABLE \(table) ADD COLUMN \(declaration)" + (literal.map { " DEFAULT \($0)" } ?? "")]
    }

    var derivedFunctions: [String] { [] }

    /// Triggers for inserts, deletes and updates. Each computes the column in the rows that depend on the old or new
    /// row.
    func triggers(_ name: String, of column: DerivedColumn, on source: DerivedColumn.Source) -> [SQLTrigger] {
        let old = column.update(where: source.condition("OLD.")), new = column.update(where: source.condition("NEW."))
        func trigger(_ event: String, _ kind: String, _ bodies: [String]) -> SQLTrigger {
            SQLTrigger("\(name).\(kind)", after: event, action: "BEGIN \(bodies.map { $0 + "; " }.joined())END")
        }
        var triggers = [trigger("INSERT", "insert", [new])]
        if !source.isOwn { triggers.append(trigger("DELETE", "delete", [old])) }
        if !source.columns.isEmpty {
            let changed = source.columns.map(SQLNames.quoted).joined(separator: ", ")
            triggers.append(trigger("UPDATE OF \(changed)", "update", source.isOwn ? [new] : [old, new]))
        }
        return triggers
    }

    func removal(ofTrigger name: String, from table: String) -> String { "DROP TRIGGER IF EXISTS \(name)" }

    func literal(_ value: Bool) -> String { value ? "1" : "0" }
    func literal(_ value: Decimal) -> String { "'\(value.canonicalText)'" }
    func literal(_ value: Data) -> String { "X'\(value.hexadecimal)'" }
    func literal(_ value: UUID) -> String { literal(ObjectKey(value).withBytes { Data($0) }) }
}
