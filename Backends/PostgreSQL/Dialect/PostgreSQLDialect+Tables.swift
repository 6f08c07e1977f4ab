import Backstitch
import BackstitchSQL
import BackstitchSupport
import Foundation

extension PostgreSQLDialect {
    var types: SQLSystemTypes {
        SQLSystemTypes(text: "text COLLATE \"C\"", integer: "bigint", bytes: "bytea", key: "uuid")
    }

    func type(of property: ResolvedProperty) -> String {
        let type = bareType(of: property)
        return type == "text" ? "text COLLATE \"C\"" : type
    }

    /// The type as casts have it.
    func bareType(of property: ResolvedProperty) -> String {
        guard let attribute = property.attribute else { return "uuid" }
        return switch attribute.type {
        case .integer16: "smallint"
        case .integer32: "integer"
        case .integer64, .date: "bigint"
        case .boolean: "boolean"
        case .double, .float: "double precision"
        case .decimal: "numeric"
        case .string, .uri: "text"
        case .binary: attribute.allowsExternalStorage ? "text" : "bytea"
        case .uuid: "uuid"
        case .transformable: "bytea"
        }
    }

    var keyedTableEnding: String { "" }

    var reservedPrefixes: [String] { [] }

    func addition(of column: String, _ declaration: String, to table: String, default literal: String?) -> [String] {
        let addition = "ALTER TABLE \(table) ADD COLUMN \(declaration)"
        guard let literal else { return [addition] }
        return ["\(addition) DEFAULT \(literal)", "ALTER TABLE \(table) ALTER COLUMN \(column) DROP DEFAULT"]
    }

    func literal(_ value: Bool) -> String { value ? "TRUE" : "FALSE" }
    func literal(_ value: Decimal) -> String { value.canonicalText }
    func literal(_ value: Data) -> String { "'\\x\(value.hexadecimal)'" }
    func literal(_ value: UUID) -> String { "'\(value.uuidString)'" }
}
