import Backstitch
import BackstitchSQL

extension PostgreSQLPredicateDialect {
    func aggregate(
        _ aggregate: FetchedProperty.Aggregate, _ value: SQLFragment, _ kind: PlannedKind
    ) -> SQLFragment {
        switch (aggregate, kind) {
        case (.count, _): "count(" + value + ")"
        case (.countDistinct, _): "count(DISTINCT " + value + ")"
        case (.sum, .integer): "sum(" + value + ")::bigint"
        case (.sum, _): "sum(" + value + ")"
        // A division has as many digits as its operands: the factor gives it those of the result.
        case (.average, .decimal):
            "round(sum(" + value + ") * 1.\(String(repeating: "0", count: DecimalMean.scale)) / NULLIF(count(" + value
                + "), 0), \(DecimalMean.scale))"
        case (.average, .integer):
            "sum(" + value + ")::double precision / NULLIF(count(" + value + "), 0)"
        case (.average, _): "avg(" + value + ")"
        case (.min, .uuid): "min(" + value + "::text COLLATE \"C\")::uuid"
        case (.max, .uuid): "max(" + value + "::text COLLATE \"C\")::uuid"
        case (.min, _): "min(" + value + ")"
        case (.max, _): "max(" + value + ")"
        }
    }

    func output(_ value: String, _ kind: PlannedKind) -> String {
        kind == .decimal ? "\(value)::text" : value
    }

    func grouped(_ value: SQLFragment, _ kind: PlannedKind) -> SQLFragment { value }
}
