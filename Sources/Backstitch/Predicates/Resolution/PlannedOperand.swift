/// A side of a planned comparison.
package indirect enum PlannedOperand: Sendable {
    /// A constant, in the type of the other side.
    case constant(Value)
    /// The value at the end of a path.
    case path(PlannedPath)
    /// The number of objects at the end of a path, or of those that satisfy a predicate on the variable.
    case count(PlannedPath, variable: String?, where: FetchPredicate?)

    /// The operand's path; nil for a constant and a count.
    package var path: PlannedPath? {
        if case .path(let path) = self { path } else { nil }
    }
}
