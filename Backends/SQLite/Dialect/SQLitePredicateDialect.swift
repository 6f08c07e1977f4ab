import Backstitch
import BackstitchSQL
import Foundation

/// SQLite's SQL for predicates, with the functions and the collation of ``SQLiteFunctions``.
///
/// `IN` with few values has a placeholder for each. Beyond ``fewValues`` it has one for all. That is a JSON array for
/// integers, dates and text, or for bytes as hexadecimal digits. For keys, UUIDs and the bits of doubles it is one
/// blob, which the statement splits by position.
struct SQLitePredicateDialect: SQLPredicateDialect {
    /// Creates the dialect of predicates.
    init() {}

    /// SQLite's default limit is 32766 (https://www.sqlite.org/limits.html). Some are left for the rest of a statement.
    var maximumBindings: Int { 32_700 }
    /// SQLite's limit is 64; some are left for the rest of a statement.
    var maximumTables: Int { 60 }

    static let fewValues = 100

    /// Counts NaN as nil. It is stored as bytes.
    func column(_ name: String, as kind: PlannedKind) -> SQLFragment {
        SQLFragment(kind == .double ? "CASE typeof(\(name)) WHEN 'blob' THEN NULL ELSE \(name) END" : name)
    }

    func constant(_ value: Value, as kind: PlannedKind) -> SQLFragment {
        // No `Decimal` equals this double, but its text has a place among decimals.
        if case .double(let number) = value, kind == .decimal { return .binding(.string("\(number)")) }
        return .binding(value)
    }

    func comparison(_ left: SQLOperand, _ symbol: String, _ right: SQLOperand) -> SQLFragment {
        let (left, right, collation) = aligned(left, right)
        return left + " \(symbol) " + right + collation
    }

    func sameness(_ left: SQLOperand, _ right: SQLOperand, isNegated: Bool) -> SQLFragment {
        let (left, right, collation) = aligned(left, right)
        return left + (isNegated ? " IS NOT " : " IS ") + right + collation
    }

    /// Both sides in comparable form: unchanged for SQLite's exact comparison of integers with doubles, or as decimal
    /// text.
    private func aligned(_ left: SQLOperand, _ right: SQLOperand) -> (SQLFragment, SQLFragment, collation: String) {
        guard left.kind == .decimal || right.kind == .decimal else { return (left.sql, right.sql, "") }
        return (decimal(left), decimal(right), Self.collation)
    }

    private static let collation = " COLLATE \(SQLiteFunctions.decimalCollation)"

    private func decimal(_ operand: SQLOperand) -> SQLFragment {
        switch operand.kind {
        case .integer: "CAST(" + operand.sql + " AS TEXT)"
        case .double: "\(SQLiteFunctions.decimal)(" + operand.sql + ")"
        default: operand.sql
        }
    }

    func folded(_ text: SQLFragment, _ options: FetchTextOptions) -> SQLFragment {
        options.isEmpty ? text : "\(SQLiteFunctions.fold)(" + text + ", \(options.rawValue))"
    }

    func uppercased(_ text: SQLFragment) -> SQLFragment { "\(SQLiteFunctions.uppercase)(" + text + ")" }

    func text(
        _ test: PlannedTextTest, _ text: SQLFragment, _ other: SQLFragment, constant: String?
    ) -> SQLFragment {
        let length = constant?.unicodeScalars.count
        switch test {
        case .contains: return "instr(" + text + ", " + other + ") > 0"
        case .beginsWith:
            guard let length else { return "instr(" + text + ", " + other + ") = 1" }
            return "substr(" + text + ", 1, \(length)) = " + other
        case .endsWith:
            // A length of zero would return the text from its start.
            if length == 0 { return text + " IS NOT NULL" }
            if let length { return "substr(" + text + ", -\(length)) = " + other }
            return "substr(" + text + ", length(" + text + ") - length(" + other + ") + 1) = " + other
        }
    }

    func like(_ text: SQLFragment, _ pattern: LikePattern) -> SQLFragment {
        folded(text, pattern.options) + " GLOB " + .binding(.string(pattern.globText))
    }

    func matches(_ text: SQLFragment, _ pattern: RegularPattern) -> SQLFragment {
        "\(SQLiteFunctions.matches)(" + text + ", " + .binding(.string(pattern.text)) + ", \(pattern.options.rawValue))"
    }

    func member(_ operand: SQLOperand, of values: [Value]) -> SQLFragment {
        operand.sql + " IN (" + list(of: values, operand.kind) + ")"
    }

    /// The list inside `IN (…)`: placeholders for few values, one parameter for many.
    private func list(of values: [Value], _ kind: PlannedKind) -> SQLFragment {
        switch kind {
        case _ where values.count <= Self.fewValues: break
        case .integer, .date, .boolean, .text, .decimal:
            return SQLFragment("SELECT value FROM json_each(?)", [.string(SQLiteJSON.array(values))])
        case .uuid, .object: return cut(keys(values), 16) { $0 }
        case .double: return cut(bits(values), 8) { "\(SQLiteFunctions.double)(\($0))" }
        case .bytes:
            return SQLFragment(
                "SELECT \(SQLiteFunctions.bytes)(value) FROM json_each(?)", [.string(SQLiteJSON.array(values))])
        case .external: break
        }
        return SQLFragment(Array(repeating: "?", count: values.count).joined(separator: ", "), values)
    }

    /// Splits a blob into parts of `size` bytes.
    private func cut(_ data: Data, _ size: Int, _ value: (String) -> String) -> SQLFragment {
        SQLFragment(
            "WITH RECURSIVE n(i) AS (VALUES (0) UNION ALL SELECT i + \(size) FROM n WHERE i + \(size) < ?) "
                + "SELECT \(value("substr(?, i + 1, \(size))")) FROM n", [.int(Int64(data.count)), .data(data)])
    }

    /// The bits of doubles, eight bytes each, as one blob.
    private func bits(_ values: [Value]) -> Data {
        var data = Data(capacity: values.count * 8)
        for case .double(let number) in values {
            withUnsafeBytes(of: number.bitPattern.bigEndian) { data.append(contentsOf: $0) }
        }
        return data
    }

    /// Keys and UUIDs, 16 bytes each, as one blob.
    private func keys(_ values: [Value]) -> Data {
        var data = Data(capacity: values.count * 16)
        for value in values {
            switch value {
            case .uuid(let uuid): ObjectKey(uuid).withBytes { data.append(contentsOf: $0) }
            case .object(let id): id.key.withBytes { data.append(contentsOf: $0) }
            default: continue
            }
        }
        return data
    }

    func order(_ operand: SQLOperand, ascending: Bool) -> String {
        operand.sql.sql + (operand.kind == .decimal ? Self.collation : "") + (ascending ? "" : " DESC")
    }

    func limit(_ limit: Int?, offset: Int) -> SQLFragment {
        if limit == nil, offset == 0 { return SQLFragment("") }
        let rows = SQLFragment(" LIMIT ?", [.int(Int64(limit ?? -1))])
        return offset == 0 ? rows : rows + SQLFragment(" OFFSET ?", [.int(Int64(offset))])
    }
}

extension LikePattern {
    /// The pattern for SQLite's `GLOB`. Its special characters are taken literally in brackets.
    fileprivate var globText: String {
        var text = String.UnicodeScalarView()
        for element in elements {
            switch element {
            case .one: text.append("?")
            case .many: text.append("*")
            case .scalar(let scalar) where "*?[".unicodeScalars.contains(scalar): text += ["[", scalar, "]"]
            case .scalar(let scalar): text.append(scalar)
            }
        }
        return String(text)
    }
}
