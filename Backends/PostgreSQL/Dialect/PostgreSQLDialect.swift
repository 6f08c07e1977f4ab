import Backstitch
import BackstitchSQL

/// The SQL of PostgreSQL, 14 or newer.
///
/// | cell | column |
/// |---|---|
/// | integers | `smallint`, `integer`, `bigint` |
/// | boolean | `boolean` |
/// | date | `bigint`, milliseconds since 1970: exact, and wider than `timestamptz` |
/// | double, float | `double precision` |
/// | decimal | `numeric` |
/// | string, URI, external binary | `text`, compared by its bytes |
/// | binary, transformable | `bytea` |
/// | UUID, to-one | `uuid` |
struct PostgreSQLDialect: SQLDialect {
    var predicates: any SQLPredicateDialect { PostgreSQLPredicateDialect() }

    func placeholder(_ number: Int) -> String { "$\(number)" }

    /// Nil: all keys are one parameter, an array.
    var maximumKeys: Int? { nil }

    func append(isOneOf keys: ArraySlice<ObjectKey>, to statement: inout SQLStatement) {
        statement.append(" = ANY (")
        statement.append(.keys(Array(keys)))
        statement.append(")")
    }

    var isRemote: Bool { true }

    /// Uses the arrays as columns of a query, read side by side. As tables, each array would be written out first.
    func rows(ofArrays types: [SQLBulkType]) -> String? {
        let columns = types.enumerated().map {
            "unnest(\(placeholder($0.offset + 1))::\(element(of: $0.element))[]) AS p\($0.offset + 1)"
        }
        return "(SELECT \(columns.joined(separator: ", "))) AS _p"
    }

    /// The type of array elements for a placeholder, as a cast needs it.
    private func element(of type: SQLBulkType) -> String {
        switch type {
        case .key: "uuid"
        case .integer: "bigint"
        case .text: "text"
        case .bytes: "bytea"
        case .column(let property): bareType(of: property)
        }
    }

    func copy(into table: String, _ columns: [String]) -> String? {
        "COPY \(table) (\(columns.joined(separator: ", "))) FROM STDIN (FORMAT binary)"
    }

    var isDistinctFrom: String { "IS DISTINCT FROM" }

    func rowLock(_ lock: SQLRowLock, of table: String?) -> String {
        let strength =
            switch lock {
            case .keyShare: "KEY SHARE"
            case .share: "SHARE"
            case .noKeyUpdate: "NO KEY UPDATE"
            case .update, .unclaimed: "UPDATE"
            }
        let others = if case .unclaimed = lock { " SKIP LOCKED" } else { "" }
        return " FOR \(strength)" + (table.map { " OF \($0)" } ?? "") + others
    }

    func rows(ofTexts json: String) -> String {
        "(SELECT jsonb_array_elements_text(\(json)::jsonb) AS wanted) AS list"
    }

    /// Uses `OFFSET 0`, because the planner does not move conditions across an offset.
    func lookingUp(_ table: String, by index: String?) -> (before: String, after: String) {
        (" CROSS JOIN LATERAL (SELECT * FROM \(table) WHERE ", " OFFSET 0) AS \(table)")
    }

    func removing(from table: String, _ column: String) -> (before: String, between: String, after: String) {
        (
            " WHERE ctid = ANY (ARRAY(SELECT \(table).ctid FROM ",
            " CROSS JOIN LATERAL (SELECT ctid FROM \(table) WHERE \(column) = wanted AND ", " OFFSET 0) AS \(table)))"
        )
    }

    /// Finds the rows by their places. For a list of keys the planner may read the whole table.
    func removingPiece(of table: String) -> (before: String, after: String)? {
        (" WHERE ctid = ANY (ARRAY(SELECT ctid FROM \(table) WHERE ", "))")
    }

    func turn(_ name: String) -> String? {
        "SELECT pg_advisory_xact_lock(\(PostgreSQLOpener.turn(name)))"
    }

    /// False: the database would sort all rows before it sends the first, although they mostly are in the order of
    /// their creation.
    var readsInOrderOfKeys: Bool { false }

    var now: String { "floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint" }
}

extension SQLDialect where Self == PostgreSQLDialect {
    /// The dialect of PostgreSQL.
    static var postgreSQL: PostgreSQLDialect { PostgreSQLDialect() }
}
