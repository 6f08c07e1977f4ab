package import Backstitch

/// The parts of a predicate that SQL databases write differently. The rest (joins, subqueries, truth values) is the
/// same for all, and is built once.
///
/// An expression of a dialect is NULL or false when the comparison does not hold. The builder makes two truth values of
/// it for a negation.
package protocol SQLPredicateDialect: Sendable {
    /// The most placeholders in a statement.
    var maximumBindings: Int { get }
    /// The most tables in a `FROM`.
    var maximumTables: Int { get }

    /// A column of a kind. It is NULL if predicates treat its value as nil.
    func column(_ name: String, as kind: PlannedKind) -> SQLFragment

    /// A constant for a comparison with values of a kind.
    func constant(_ value: Value, as kind: PlannedKind) -> SQLFragment

    /// Compares `left` and `right` with an operator: `=`, `<`, `<=`, `>` or `>=`.
    func comparison(_ left: SQLOperand, _ symbol: String, _ right: SQLOperand) -> SQLFragment

    /// Whether both are equal or both NULL; the opposite if negated. The result is never NULL.
    func sameness(_ left: SQLOperand, _ right: SQLOperand, isNegated: Bool) -> SQLFragment

    /// Text folded for comparison.
    func folded(_ text: SQLFragment, _ options: FetchTextOptions) -> SQLFragment

    /// Text in capitals: the inverse of the lower-case mapping, scalar by scalar.
    func uppercased(_ text: SQLFragment) -> SQLFragment

    /// Whether a text contains, begins or ends with another. Both are already folded. `constant` is the other text, if
    /// it is a constant.
    func text(_ test: PlannedTextTest, _ text: SQLFragment, _ other: SQLFragment, constant: String?) -> SQLFragment

    /// Whether an unfolded text matches a pattern of `LIKE`.
    func like(_ text: SQLFragment, _ pattern: LikePattern) -> SQLFragment

    /// Whether an unfolded text matches a regular expression.
    func matches(_ text: SQLFragment, _ pattern: RegularPattern) -> SQLFragment

    /// Whether a value is one of several. The list is not empty, and has no nil.
    func member(_ operand: SQLOperand, of values: [Value]) -> SQLFragment

    /// A term of `ORDER BY`, with NULL first ascending and last descending.
    func order(_ operand: SQLOperand, ascending: Bool) -> String

    /// The clause ` LIMIT … OFFSET …`, or nothing.
    func limit(_ limit: Int?, offset: Int) -> SQLFragment

    /// An aggregate over values of a kind.
    func aggregate(_ aggregate: DictionaryColumn.Aggregate, _ value: SQLFragment, _ kind: PlannedKind) -> SQLFragment

    /// A value of a kind in the form of a result: NULL in place of NaN, decimals as text.
    func output(_ value: String, _ kind: PlannedKind) -> String

    /// A value for grouping or for an aggregate: NULL in place of NaN.
    func grouped(_ value: SQLFragment, _ kind: PlannedKind) -> SQLFragment
}

extension SQLPredicateDialect {
    /// Uses the column in its stored form.
    package func column(_ name: String, as kind: PlannedKind) -> SQLFragment { SQLFragment(name) }
}
