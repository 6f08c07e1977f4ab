import Backstitch
import BackstitchSQL

extension SQLitePredicateDialect {
    func aggregate(
        _ aggregate: DictionaryColumn.Aggregate, _ value: SQLFragment, _ kind: PlannedKind
    ) -> SQLFragment {
        switch (aggregate, kind) {
        case (.count, _): "count(" + value + ")"
        case (.countDistinct, _): "count(DISTINCT " + value + ")"
        case (.sum, .decimal): "\(SQLiteFunctions.decimalSum)(" + value + ")"
        case (.average, .decimal): "\(SQLiteFunctions.decimalAverage)(" + value + ")"
        // SQLite gives NULL in place of NaN, and infinity beyond the range.
        case (.sum, .double), (.average, .double):
            SQLDoubleSum(of: value).aggregate(aggregate) { $0 + SQLDoubleSum.unscaling }
        case (.sum, _): "sum(" + value + ")"
        case (.average, _): "avg(" + value + ")"
        case (.min, .decimal): "min(" + value + " COLLATE \(SQLiteFunctions.decimalCollation))"
        case (.max, .decimal): "max(" + value + " COLLATE \(SQLiteFunctions.decimalCollation))"
        case (.min, _): "min(" + value + ")"
        case (.max, _): "max(" + value + ")"
        }
    }

    func output(_ value: String, _ kind: PlannedKind) -> String { value }

    /// Replaces NaN by NULL: NaN is stored as a blob of its bits.
    func grouped(_ value: SQLFragment, _ kind: PlannedKind) -> SQLFragment {
        guard kind == .double else { return value }
        return "CASE WHEN typeof(" + value + ") = 'blob' THEN NULL ELSE " + value + " END"
    }
}
