/// A comparison after it was checked against a model: all that the evaluator and the SQL builder need, with properties
/// found and constants in the type that they are compared in.
package struct ComparisonPlan: Sendable {
    /// The operand that is tested; through a to-many relationship if there is a quantifier.
    package let left: PlannedOperand
    /// The test of the left side, or of each of its elements.
    package let test: PlannedTest
    /// Whether the test must fail instead: for `!=`.
    package let isNegated: Bool
    /// How text is folded. Constants of the plan are folded already.
    package let options: FetchTextOptions
    /// How many elements of the left side's to-many must satisfy the test.
    package let quantifier: FetchComparison.Quantifier?
}
