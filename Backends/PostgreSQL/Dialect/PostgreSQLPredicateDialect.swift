import Backstitch
import BackstitchSQL
import Foundation

/// PostgreSQL's SQL for predicates, with the functions of ``PostgreSQLFunctions``.
///
/// Every operator has the same meaning as in the evaluator:
/// - Text is compared by its bytes. Columns have the collation `"C"`, and ``PostgreSQLFunctions/fold`` folds in the
///   same way as ``TextFolding``.
/// - Numbers of different kinds are compared exactly, which PostgreSQL's own conversions would not do. A double and an
///   integer are compared as exact numbers, a double and a decimal by the decimal that is printed for the double.
/// - `MATCHES` is a regular expression of PostgreSQL, built from the pattern's tree and anchored at both ends.
///
/// PostgreSQL has no text with U+0000. A constant with one is refused when it is sent.
struct PostgreSQLPredicateDialect: SQLPredicateDialect {
    /// Creates the dialect of predicates.
    init() {}

    /// The protocol's limit is 65535. Some are left for the rest of a statement.
    var maximumBindings: Int { 65_000 }
    /// PostgreSQL has no limit of its own; this one limits the planning time.
    var maximumTables: Int { 200 }

    /// Up to this number of values, `IN` has a placeholder for each.
    static let fewValues = 100

    /// Counts NaN as nil. PostgreSQL itself sorts it after all numbers.
    func column(_ name: String, as kind: PlannedKind) -> SQLFragment {
        SQLFragment(kind == .double ? "NULLIF(\(name), 'NaN')" : name)
    }

    /// A constant in a form that compares exactly with values of a kind.
    func constant(_ value: Value, as kind: PlannedKind) -> SQLFragment {
        switch (value, kind) {
        case (.double(let number), .integer):
            return Int64(exactly: number).map { .binding(.int($0)) } ?? Self.numeric(number)
        case (.double(let number), .decimal): return Self.numeric(number)
        case (.int(let number), .double):
            return Double(exactly: number).map { .binding(.double($0)) } ?? SQLFragment(Self.cast, [value])
        case (.decimal, .double), (.decimal, .integer): return SQLFragment(Self.cast, [value])
        default: return .binding(value)
        }
    }

    func comparison(_ left: SQLOperand, _ symbol: String, _ right: SQLOperand) -> SQLFragment {
        let (left, right) = aligned(left, right)
        return left + " \(symbol) " + right
    }

    func sameness(_ left: SQLOperand, _ right: SQLOperand, isNegated: Bool) -> SQLFragment {
        let (left, right) = aligned(left, right)
        return left + (isNegated ? " IS DISTINCT FROM " : " IS NOT DISTINCT FROM ") + right
    }

    func folded(_ text: SQLFragment, _ options: FetchTextOptions) -> SQLFragment {
        if options.contains(.numeric) { return numericKey(folded(text, options.subtracting(.numeric))) }
        return options.isEmpty ? text : "\(PostgreSQLFunctions.fold)(" + text + ", \(options.rawValue))"
    }

    func uppercased(_ text: SQLFragment) -> SQLFragment { "\(PostgreSQLFunctions.uppercase)(" + text + ")" }

    func text(
        _ test: PlannedTextTest, _ text: SQLFragment, _ other: SQLFragment, constant: String?
    ) -> SQLFragment {
        switch test {
        case .contains: return "strpos(" + text + ", " + other + ") > 0"
        case .beginsWith: return "starts_with(" + text + ", " + other + ")"
        case .endsWith:
            let length = constant.map { SQLFragment("\($0.unicodeScalars.count)") } ?? "char_length(" + other + ")"
            return "right(" + text + ", " + length + ") = " + other
        }
    }

    func like(_ text: SQLFragment, _ pattern: LikePattern) -> SQLFragment {
        folded(text, pattern.options) + " LIKE " + .binding(.string(pattern.likeText))
    }

    func matches(_ text: SQLFragment, _ pattern: RegularPattern) -> SQLFragment {
        folded(text, pattern.options) + " ~ " + .binding(.string(pattern.tree.postgreSQLText))
    }

    func member(_ operand: SQLOperand, of values: [Value]) -> SQLFragment {
        guard let type = Self.elementType(of: values, operand.kind) else {
            let tests = values.map { value in
                comparison(operand, "=", SQLOperand(constant(value, as: operand.kind), operand.kind))
            }
            return "(" + tests.joined(" OR ") + ")"
        }
        if values.count <= Self.fewValues {
            let list = Array(repeating: "?", count: values.count).joined(separator: ", ")
            return operand.sql + SQLFragment(" IN (\(list))", values)
        }
        let element = type == "bytea" ? "decode(v, 'hex')" : "v::\(type)"
        let list = "SELECT \(element) FROM json_array_elements_text(CAST(? AS json)) AS v"
        return operand.sql + SQLFragment(" = ANY (ARRAY(\(list)))", [.string(PostgreSQLJSON.array(values))])
    }

    func order(_ operand: SQLOperand, ascending: Bool) -> String {
        let collation = operand.kind == .text ? " COLLATE \"C\"" : ""
        return operand.sql.sql + collation + (ascending ? " ASC NULLS FIRST" : " DESC NULLS LAST")
    }

    func limit(_ limit: Int?, offset: Int) -> SQLFragment {
        var fragment = SQLFragment("")
        if let limit { fragment = fragment + SQLFragment(" LIMIT ?", [.int(Int64(limit))]) }
        if offset != 0 { fragment = fragment + SQLFragment(" OFFSET ?", [.int(Int64(offset))]) }
        return fragment
    }
}

extension PostgreSQLPredicateDialect {
    /// A sort key for numbers in text. Each run of digits becomes its length in four digits, and the run without
    /// leading zeros; see ``FetchTextOptions/numeric``.
    private func numericKey(_ text: SQLFragment) -> SQLFragment {
        let digits = "ltrim(m[1], '0')"
        let run = "lpad(least(length(\(digits)), 9999)::text, 4, '0') || \(digits)"
        return "coalesce((SELECT string_agg(CASE WHEN m[1] ~ '^[0-9]' THEN \(run) ELSE m[1] END, '' ORDER BY o) "
            + "FROM regexp_matches(" + text + ", '[0-9]+|[^0-9]+', 'g') WITH ORDINALITY AS r (m, o)), " + text + ")"
    }

    private static let cast = "CAST(? AS numeric)"

    /// A double as an exact number: the decimal that is printed for it. It has the same place among integers.
    private static func numeric(_ number: Double) -> SQLFragment {
        SQLFragment(cast, [.string("\(number)")])
    }

    /// Both sides in a form that compares exactly.
    private func aligned(_ left: SQLOperand, _ right: SQLOperand) -> (SQLFragment, SQLFragment) {
        if left.kind == .decimal || right.kind == .decimal { return (printed(left), printed(right)) }
        let isExact = left.kind == right.kind && left.sql.sql != Self.cast && right.sql.sql != Self.cast
        return isExact ? (left.sql, right.sql) : (exact(left), exact(right))
    }

    /// A double as the decimal that is printed for it.
    private func printed(_ operand: SQLOperand) -> SQLFragment {
        guard operand.kind == .double, operand.sql.sql != Self.cast else { return operand.sql }
        return operand.sql + "::text::numeric"
    }

    /// A double as an exact number with the same place among integers. Beyond 2^53 doubles are whole, and their printed
    /// form may be another number.
    private func exact(_ operand: SQLOperand) -> SQLFragment {
        guard operand.kind == .double, operand.sql.sql != Self.cast else { return operand.sql }
        let number = operand.sql
        return "(CASE WHEN abs(" + number + ") > 9007199254740992 AND " + number + " >= -9223372036854775808 AND "
            + number
            + " < 9223372036854775808 THEN " + number + "::bigint::numeric ELSE " + number + "::text::numeric END)"
    }

    /// The type of an array of values; nil unless all values have the kind of the comparison.
    private static func elementType(of values: [Value], _ kind: PlannedKind) -> String? {
        let fits = values.allSatisfy { value in
            switch (value, kind) {
            case (.int, .integer), (.double, .double), (.decimal, .decimal), (.bool, .boolean), (.string, .text),
                (.uri, .text), (.date, .date), (.data, .bytes), (.uuid, .uuid), (.object, .object):
                true
            default: false
            }
        }
        guard fits else { return nil }
        return switch kind {
        case .integer, .date: "bigint"
        case .double: "double precision"
        case .decimal: "numeric"
        case .boolean: "boolean"
        case .text: "text"
        case .bytes, .external: "bytea"
        case .uuid, .object: "uuid"
        }
    }
}

extension LikePattern {
    /// The pattern for SQL's `LIKE`, with a backslash before special characters.
    fileprivate var likeText: String {
        var text = String.UnicodeScalarView()
        for element in elements {
            switch element {
            case .one: text.append("_")
            case .many: text.append("%")
            case .scalar(let scalar):
                if "%_\\".unicodeScalars.contains(scalar) { text.append("\\") }
                text.append(scalar)
            }
        }
        return String(text)
    }
}
