import BackstitchSQL
import Foundation
import TestSupport

/// One access path of a plan to rows of a table.
struct PlannedAccess: Hashable {
    var table: String
    /// The columns that an index is searched by; none for a scan.
    var columns: Set<String>
    /// As the database says it.
    var text: String
}

/// Has a database explain statements.
struct PlanReader {
    let connection: any SQLConnection
    private let isPostgreSQL: Bool
    /// The columns of PostgreSQL's indexes, and their tables.
    private var indexes: [String: (table: String, columns: Set<String>)] = [:]

    init(_ connection: any SQLConnection) throws {
        self.connection = connection
        isPostgreSQL = connection.dialect.isRemote
        guard isPostgreSQL else { return }
        var text = SQLStatement(
            connection.dialect,
            """
            SELECT i.relname, t.relname, a.attname FROM pg_index AS x JOIN pg_class AS i ON i.oid = x.indexrelid
            JOIN pg_class AS t ON t.oid = x.indrelid JOIN pg_attribute AS a ON a.attrelid = i.oid
            WHERE t.relnamespace = current_schema()::regnamespace
            """)
        text.isAdHoc = true
        var indexes = indexes
        try connection.forEachRow(of: text) { row in
            indexes[row.text(0), default: (row.text(1), [])].columns.insert(row.text(2))
        }
        self.indexes = indexes
    }

    /// The accesses of a statement's plans: of the one for its parameters, and in PostgreSQL of the one for any.
    func accesses(_ recorded: RecordedStatement) throws -> [PlannedAccess] {
        isPostgreSQL ? try ofPostgreSQL(recorded) : try ofSQLite(recorded.statement)
    }

    private func ofSQLite(_ statement: SQLStatement) throws -> [PlannedAccess] {
        var lines: [String] = []
        try connection.forEachRow(of: statement.preceded(by: "EXPLAIN QUERY PLAN ")) { lines.append($0.text(3)) }
        let aliases = Dictionary(
            statement.text.matches(of: #/(?:FROM|JOIN)\s+(\w+)\s+AS\s+(\w+)/#).map { ("\($0.2)", "\($0.1)") }
        ) { first, _ in first }
        return lines.compactMap { line in
            let access = #/^(?:SCAN|SEARCH) (\w+)(?: USING .*?)?(?:\((.*)\))?(?: LEFT-JOIN)?$/#
            guard let found = line.firstMatch(of: access) else { return nil }
            let name = "\(found.1)"
            let words = (found.2 ?? "").split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init)
            let columns = line.contains("AUTOMATIC") ? [] : Set(words).subtracting(["AND", "ANY", "NULL", "IS", "NOT"])
            return PlannedAccess(table: aliases[name] ?? name, columns: columns, text: line)
        }
    }

    private func ofPostgreSQL(_ recorded: RecordedStatement) throws -> [PlannedAccess] {
        // The arrays of a bulk statement have two elements each, as a planner assumes.
        let text = recorded.statement.text.replacing(#/\$\d+::(\w+)\[\]/#) { "'{NULL,NULL}'::\($0.1)[]" }
        let custom =
            recorded.isBulk ? SQLStatement(recorded.statement.dialect, text) : recorded.statement
        var accesses = try plan(custom.preceded(by: "EXPLAIN (FORMAT JSON) "))
        // A statement that is run again and again gets a plan for any parameters.
        let count = recorded.statement.text.matches(of: #/\$(\d+)/#).compactMap { Int($0.1) }.max() ?? 0
        guard count > 0 else { return accesses }
        try run("PREPARE explained AS \(recorded.statement.text)")
        let nothing = Array(repeating: "NULL", count: count).joined(separator: ", ")
        var generic = SQLStatement(connection.dialect, "EXPLAIN (FORMAT JSON) EXECUTE explained(\(nothing))")
        generic.isAdHoc = true
        accesses += try plan(generic)
        try run("DEALLOCATE explained")
        return accesses
    }

    private func run(_ text: String) throws {
        var statement = SQLStatement(connection.dialect, text)
        statement.isAdHoc = true
        try connection.run(statement)
    }

    private func plan(_ statement: SQLStatement) throws -> [PlannedAccess] {
        var statement = statement
        statement.isAdHoc = true
        var json = ""
        try connection.forEachRow(of: statement) { json += $0.text(0) }
        guard let plans = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]] else {
            throw TestFailure("no plan: \(json)")
        }
        return plans.flatMap { ($0["Plan"] as? [String: Any]).map(accesses) ?? [] }
    }

    private func accesses(_ node: [String: Any]) -> [PlannedAccess] {
        let kind = node["Node Type"] as? String ?? ""
        let below = (node["Plans"] as? [[String: Any]] ?? []).flatMap(accesses)
        let text = "\(kind) \(node["Index Name"] ?? "") \(node["Relation Name"] ?? "") \(node["Index Cond"] ?? "")"
        if kind == "Seq Scan", let table = node["Relation Name"] as? String {
            return [PlannedAccess(table: table, columns: [], text: text)] + below
        }
        guard kind.contains("Index"), let index = node["Index Name"] as? String, let known = indexes[index] else {
            return below
        }
        let condition = node["Index Cond"] as? String ?? ""
        let words = condition.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init)
        return [PlannedAccess(table: known.table, columns: known.columns.intersection(words), text: text)] + below
    }
}
