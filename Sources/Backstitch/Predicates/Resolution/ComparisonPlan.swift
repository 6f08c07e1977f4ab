/// A comparison checked against a model, with everything that the evaluator and the SQL builder need. Its properties
/// are found, and its constants have the type of the other side.
package struct ComparisonPlan: Sendable {
    /// The tested operand; it leads through a to-many relationship if there is a quantifier.
    package let left: PlannedOperand
    /// The test of the left side, or of each of its elements.
    package let test: PlannedTest
    /// Whether the result of the test is negated, for `!=`.
    package let isNegated: Bool
    /// The folding of text. Constants of the plan are already folded.
    package let options: FetchTextOptions
    /// The number of elements of the left side's to-many that must satisfy the test.
    package let quantifier: FetchComparison.Quantifier?
}
