import Backstitch

/// The SQL types of a model's columns.
///
/// | cell | SQLite | PostgreSQL |
/// |---|---|---|
/// | integers | `INTEGER` | `smallint`, `integer`, `bigint` |
/// | boolean | `INTEGER` (0, 1) | `boolean` |
/// | date | `INTEGER`, milliseconds since 1970 | `bigint`, likewise: exact, and wider than `timestamptz` |
/// | double, float | none, so that a `REAL` keeps every bit | `double precision` |
/// | decimal | `TEXT`, canonical | `numeric` |
/// | string, URI, external binary | `TEXT` | `text` |
/// | binary, transformable | `BLOB` | `bytea` |
/// | UUID, to-one | `BLOB`, 16 bytes | `uuid` |
enum SQLColumnType {
    /// The bare name of a column's type, as casts have it.
    static func name(of property: ResolvedProperty, in dialect: SQLDialect) -> String {
        let declaration = of(property, in: dialect)
        return declaration.hasPrefix("text") ? "text" : declaration
    }

    /// A column's name and type, as tables declare it.
    static func declaration(of property: ResolvedProperty, in dialect: SQLDialect) -> String {
        let name = SQLNames.quoted(property.columnName), type = of(property, in: dialect)
        return type.isEmpty ? name : "\(name) \(type)"
    }

    static func of(_ property: ResolvedProperty, in dialect: SQLDialect) -> String {
        switch dialect {
        case .sqlite: sqlite(property)
        case .postgreSQL: postgreSQL(property)
        }
    }

    private static func sqlite(_ property: ResolvedProperty) -> String {
        guard let attribute = property.attribute else { return "BLOB" }
        return switch attribute.type {
        case .integer16, .integer32, .integer64, .boolean, .date: "INTEGER"
        // A column of type REAL would turn -0.0 into 0: it keeps whole numbers as integers. One without a type keeps
        // what is bound.
        case .double, .float: ""
        case .decimal, .string, .uri: "TEXT"
        case .binary: attribute.allowsExternalStorage ? "TEXT" : "BLOB"
        case .uuid, .transformable: "BLOB"
        }
    }

    private static func postgreSQL(_ property: ResolvedProperty) -> String {
        guard let attribute = property.attribute else { return "uuid" }
        return switch attribute.type {
        case .integer16: "smallint"
        case .integer32: "integer"
        case .integer64, .date: "bigint"
        case .boolean: "boolean"
        case .double, .float: "double precision"
        case .decimal: "numeric"
        case .string, .uri: "text COLLATE \"C\""
        case .binary: attribute.allowsExternalStorage ? "text COLLATE \"C\"" : "bytea"
        case .uuid: "uuid"
        case .transformable: "bytea"
        }
    }
}
