import Backstitch
import BackstitchSQL

extension PostgreSQLPredicateDialect {
    func aggregate(
        _ aggregate: DictionaryColumn.Aggregate, _ value: SQLFragment, _ kind: PlannedKind
    ) -> SQLFragment {
        switch (aggregate, kind) {
        case (.count, _): "count(" + value + ")"
        case (.countDistinct, _): "count(DISTINCT " + value + ")"
        case (.sum, .integer): "sum(" + value + ")::bigint"
        case (.sum, .double), (.average, .double):
            SQLDoubleSum(of: value).aggregate(aggregate, unscaled: Self.unscaled)
        case (.sum, _): "sum(" + value + ")"
        case (.average, .decimal): Self.mean(ofDecimals: value)
        case (.average, .integer):
            "sum(" + value + ")::double precision / NULLIF(count(" + value + "), 0)"
        case (.average, _): "avg(" + value + ")"
        case (.min, .uuid): "min(" + value + "::text COLLATE \"C\")::uuid"
        case (.max, .uuid): "max(" + value + "::text COLLATE \"C\")::uuid"
        case (.min, _): "min(" + value + ")"
        case (.max, _): "max(" + value + ")"
        }
    }

    /// The mean of decimals. If the sum has too many digits for `Decimal`, the result is ``SQLDecimals/none``.
    private static func mean(ofDecimals value: SQLFragment) -> SQLFragment {
        let sum = "sum(" + value + ")"
        // A quotient has as many digits as its operands. The factor gives it the digits of the result.
        let mean =
            "round(" + sum + " * 1.\(String(repeating: "0", count: DecimalMean.scale)) / NULLIF(count(" + value
            + "), 0), \(DecimalMean.scale))"
        let digits = "length(trim('0' FROM replace(abs(" + sum + ")::text, '.', '')))"
        let refused = "CASE WHEN " + digits + " > \(ExactDecimalSum.maximumDigits) THEN '\(SQLDecimals.none)'::numeric"
        return refused + " ELSE " + mean + " END"
    }

    /// Multiplies by 2^64. Beyond the range PostgreSQL would throw, so the result is infinity there.
    private static func unscaled(_ number: SQLFragment) -> SQLFragment {
        let number = "NULLIF(" + number + ", 'NaN')"
        let within = "CASE WHEN abs(" + number + ") < 9.7453140114e288 THEN " + number + SQLDoubleSum.unscaling
        let above = " WHEN " + number + " > 0 THEN 'Infinity'::double precision"
        return within + above + " WHEN " + number + " < 0 THEN '-Infinity'::double precision END"
    }

    /// Returns decimals as text, because `numeric` has more digits than `Decimal`.
    func output(_ value: String, _ kind: PlannedKind) -> String {
        kind == .decimal ? "\(value)::text" : value
    }

    func grouped(_ value: SQLFragment, _ kind: PlannedKind) -> SQLFragment { value }
}
