package import Backstitch

/// The parts of a predicate that SQL databases write differently. The rest, joins, subqueries, truth values, is the
/// same for all and built once.
///
/// A dialect gives expressions that are NULL or false where the comparison does not hold; the builder makes two truth
/// values of them where it negates.
package protocol SQLPredicateDialect: Sendable {
    /// How many placeholders a statement may have.
    var maximumBindings: Int { get }
    /// How many tables a `FROM` may have.
    var maximumTables: Int { get }

    /// A column of a kind: nil where predicates take it for nil.
    func column(_ name: String, as kind: PlannedKind) -> SQLFragment

    /// A constant that is compared with values of a kind.
    func constant(_ value: Value, as kind: PlannedKind) -> SQLFragment

    /// `left` and `right` by an operator: `=`, `<`, `<=`, `>` or `>=`.
    func comparison(_ left: SQLOperand, _ symbol: String, _ right: SQLOperand) -> SQLFragment

    /// Whether both are equal or both NULL, or, negated, whether not. Never NULL itself.
    func sameness(_ left: SQLOperand, _ right: SQLOperand, isNegated: Bool) -> SQLFragment

    /// Text folded.
    func folded(_ text: SQLFragment, _ options: FetchTextOptions) -> SQLFragment

    /// Text in capitals: the opposite of the lower-case mapping, scalar by scalar.
    func uppercased(_ text: SQLFragment) -> SQLFragment

    /// Whether a text contains, begins or ends with another; both are folded already. `constant` is the other, if it is
    /// one.
    func text(_ test: PlannedTextTest, _ text: SQLFragment, _ other: SQLFragment, constant: String?) -> SQLFragment

    /// Whether a text, not folded yet, matches a pattern of `LIKE`.
    func like(_ text: SQLFragment, _ pattern: LikePattern) -> SQLFragment

    /// Whether a text, not folded yet, matches a regular expression.
    func matches(_ text: SQLFragment, _ pattern: RegularPattern) -> SQLFragment

    /// Whether a value is one of many, of which none is nil and which are not empty.
    func member(_ operand: SQLOperand, of values: [Value]) -> SQLFragment

    /// A term of `ORDER BY`, with NULL first ascending and last descending.
    func order(_ operand: SQLOperand, ascending: Bool) -> String

    /// ` LIMIT … OFFSET …`, or nothing.
    func limit(_ limit: Int?, offset: Int) -> SQLFragment

    /// An aggregate over values of a kind.
    func aggregate(_ aggregate: FetchedProperty.Aggregate, _ value: SQLFragment, _ kind: PlannedKind) -> SQLFragment

    /// A value of a kind as it is read from a result: numbers that are none as NULL, decimals as text.
    func output(_ value: String, _ kind: PlannedKind) -> String

    /// A value that is grouped by, or an aggregate of: NULL for a number that is none.
    func grouped(_ value: SQLFragment, _ kind: PlannedKind) -> SQLFragment
}

extension SQLPredicateDialect {
    /// As it is stored.
    package func column(_ name: String, as kind: PlannedKind) -> SQLFragment { SQLFragment(name) }
}
