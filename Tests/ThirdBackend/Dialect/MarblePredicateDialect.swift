import Backstitch
import BackstitchSQL

/// Predicates in Marble's SQL, with the functions and the collation of ``MarbleFunctions``.
struct MarblePredicateDialect: SQLPredicateDialect {
    var maximumBindings: Int { 32_000 }
    var maximumTables: Int { 60 }

    /// NaN, which is kept as bytes, counts as nil.
    func column(_ name: String, as kind: PlannedKind) -> SQLFragment {
        SQLFragment(kind == .double ? "iif(typeof(\(name)) = 'blob', NULL, \(name))" : name)
    }

    func constant(_ value: Value, as kind: PlannedKind) -> SQLFragment {
        // No `Decimal` is this double, but its text has a place among decimals.
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

    private static let byNumber = " COLLATE marble_number"

    private func aligned(_ left: SQLOperand, _ right: SQLOperand) -> (SQLFragment, SQLFragment, collation: String) {
        guard left.kind == .decimal || right.kind == .decimal else { return (left.sql, right.sql, "") }
        return (decimal(left), decimal(right), Self.byNumber)
    }

    private func decimal(_ operand: SQLOperand) -> SQLFragment {
        switch operand.kind {
        case .integer: "CAST(" + operand.sql + " AS VARCHAR)"
        case .double: "marble_exactly(" + operand.sql + ")"
        default: operand.sql
        }
    }

    func folded(_ text: SQLFragment, _ options: FetchTextOptions) -> SQLFragment {
        options.isEmpty ? text : "marble_folded(" + text + ", \(options.rawValue))"
    }

    func uppercased(_ text: SQLFragment) -> SQLFragment { "marble_capitals(" + text + ")" }

    func text(_ test: PlannedTextTest, _ text: SQLFragment, _ other: SQLFragment, constant: String?) -> SQLFragment {
        let length = constant.map { SQLFragment("\($0.unicodeScalars.count)") } ?? "length(" + other + ")"
        return switch test {
        case .contains: "instr(" + text + ", " + other + ") > 0"
        case .beginsWith: "substr(" + text + ", 1, " + length + ") = " + other
        case .endsWith where constant?.isEmpty == true: text + " IS NOT NULL"
        case .endsWith where constant != nil: "substr(" + text + ", -" + length + ") = " + other
        case .endsWith: "substr(" + text + ", length(" + text + ") - " + length + " + 1) = " + other
        }
    }

    func like(_ text: SQLFragment, _ pattern: LikePattern) -> SQLFragment {
        folded(text, pattern.options) + " GLOB " + .binding(.string(pattern.globText))
    }

    func matches(_ text: SQLFragment, _ pattern: RegularPattern) -> SQLFragment {
        "marble_fits(" + text + ", " + .binding(.string(pattern.text)) + ", \(pattern.options.rawValue))"
    }

    func member(_ operand: SQLOperand, of values: [Value]) -> SQLFragment {
        operand.sql + " IN (" + values.map(SQLFragment.binding).joined(", ") + ")"
    }

    func order(_ operand: SQLOperand, ascending: Bool) -> String {
        operand.sql.sql + (operand.kind == .decimal ? Self.byNumber : "") + (ascending ? " ASC" : " DESC")
    }

    func limit(_ limit: Int?, offset: Int) -> SQLFragment {
        if limit == nil, offset == 0 { return SQLFragment("") }
        return SQLFragment(" LIMIT ? OFFSET ?", [.int(Int64(limit ?? -1)), .int(Int64(offset))])
    }

    func aggregate(_ aggregate: DictionaryColumn.Aggregate, _ value: SQLFragment, _ kind: PlannedKind) -> SQLFragment {
        let collation = kind == .decimal ? Self.byNumber : ""
        if kind == .double, aggregate == .sum || aggregate == .average {
            return SQLDoubleSum(of: value).aggregate(aggregate) { $0 + SQLDoubleSum.unscaling }
        }
        return switch aggregate {
        case .count: "count(" + value + ")"
        case .countDistinct: "count(DISTINCT " + value + ")"
        case .sum: (kind == .decimal ? "marble_total(" : "sum(") + value + ")"
        case .average: (kind == .decimal ? "marble_mean(" : "avg(") + value + ")"
        case .min: "min(" + value + collation + ")"
        case .max: "max(" + value + collation + ")"
        }
    }

    func output(_ value: String, _ kind: PlannedKind) -> String { value }

    func grouped(_ value: SQLFragment, _ kind: PlannedKind) -> SQLFragment {
        guard kind == .double else { return value }
        return "iif(typeof(" + value + ") = 'blob', NULL, " + value + ")"
    }
}

extension LikePattern {
    /// The pattern as `GLOB` has it: special characters are taken literally in brackets.
    fileprivate var globText: String {
        elements.map { element in
            switch element {
            case .one: "?"
            case .many: "*"
            case .scalar(let scalar): "*?[".unicodeScalars.contains(scalar) ? "[\(scalar)]" : String(scalar)
            }
        }.joined()
    }
}
