import Backstitch
import BackstitchSQL
import BackstitchSupport
import Foundation

/// Marble's SQL.
///
/// | cell | column |
/// |---|---|
/// | integers, boolean, date (milliseconds since 1970) | `BIGINT` |
/// | double, float | `REAL_BLOB`, which keeps every bit; NaN as eight bytes |
/// | decimal (canonical), string, URI, external binary | `VARCHAR` |
/// | binary, transformable | `LARGE_BLOB` |
/// | UUID, to-one | `KEY_BLOB`, 16 bytes |
struct MarbleDialect: SQLDialect {
    var predicates: any SQLPredicateDialect { MarblePredicateDialect() }

    // MARK: Statements

    func placeholder(_ number: Int) -> String { ":m\(number)" }

    var maximumKeys: Int? { 400 }

    func append(isOneOf keys: ArraySlice<ObjectKey>, to statement: inout SQLStatement) {
        statement.append(" IN (")
        for (index, key) in keys.enumerated() {
            if index > 0 { statement.append(", ") }
            statement.append(.key(key))
        }
        statement.append(")")
    }

    var isRemote: Bool { false }

    func rows(ofArrays types: [SQLBulkType]) -> String? { nil }

    func copy(into table: String, _ columns: [String]) -> String? { nil }

    var isDistinctFrom: String { "IS NOT" }

    func rowLock(_ lock: SQLRowLock, of table: String?) -> String { "" }

    func rows(ofTexts json: String) -> String { "(SELECT value AS wanted FROM json_each(\(json)))" }

    func turn(_ name: String) -> String? { nil }

    /// Tables have no order of their own here.
    var readsInOrderOfKeys: Bool { false }

    var now: String { "CAST(round((julianday('now') - 2440587.5) * 86400000) AS BIGINT)" }

    // MARK: Tables

    var types: SQLSystemTypes {
        SQLSystemTypes(text: "VARCHAR", integer: "BIGINT", bytes: "LARGE_BLOB", key: "KEY_BLOB", flag: "BIGINT")
    }

    func type(of property: ResolvedProperty) -> String {
        guard let attribute = property.attribute else { return "KEY_BLOB" }
        return switch attribute.type {
        case .integer16, .integer32, .integer64, .boolean, .date: "BIGINT"
        case .double, .float: "REAL_BLOB"
        case .decimal, .string, .uri: "VARCHAR"
        case .binary: attribute.allowsExternalStorage ? "VARCHAR" : "LARGE_BLOB"
        case .transformable: "LARGE_BLOB"
        case .uuid: "KEY_BLOB"
        }
    }

    var keyedTableEnding: String { "" }

    var numberedKey: String { "INTEGER PRIMARY KEY" }

    func tableEnding(_ kind: SQLTableKind) -> String { "" }

    var reservedPrefixes: [String] { ["sqlite_"] }

    func addition(of column: String, _ declaration: String, to table: String, default literal: String?) -> [String] {
        ["ALTER TABLE \(table) ADD COLUMN \(declaration)" + (literal.map { " DEFAULT \($0)" } ?? "")]
    }

    var derivedFunctions: [String] { [] }

    /// One trigger for each event.
    func triggers(_ name: String, of column: DerivedColumn, on source: DerivedColumn.Source) -> [SQLTrigger] {
        let before = column.update(where: source.condition("OLD.")),
            after = column.update(where: source.condition("NEW."))
        var events = [(kind: "insert", event: "INSERT", updates: [after])]
        if !source.isOwn { events.append(("delete", "DELETE", [before])) }
        if !source.columns.isEmpty {
            let columns = source.columns.map(SQLNames.quoted).joined(separator: ", ")
            events.append(("update", "UPDATE OF \(columns)", source.isOwn ? [after] : [before, after]))
        }
        return events.map { kind, event, updates in
            SQLTrigger("\(name).\(kind)", after: event, action: "BEGIN \(updates.joined(separator: "; ")); END")
        }
    }

    func removal(ofTrigger name: String, from table: String) -> String { "DROP TRIGGER IF EXISTS \(name)" }

    // MARK: Literals

    func literal(_ value: Bool) -> String { value ? "1" : "0" }
    func literal(_ value: Decimal) -> String { "'\(value.canonicalText)'" }
    func literal(_ value: Data) -> String { "x'\(value.hexadecimal)'" }
    func literal(_ value: UUID) -> String { literal(ObjectKey(value).withBytes { Data($0) }) }
}
