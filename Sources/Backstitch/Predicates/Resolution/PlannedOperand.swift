/// A side of a planned comparison.
package indirect enum PlannedOperand: Sendable {
    /// A constant.
    case constant(Value)
    /// The value that a path leads to.
    case path(PlannedPath)
    /// How many objects a path ends at, of those that satisfy a predicate on the variable.
    case count(PlannedPath, variable: String?, where: FetchPredicate?)

    /// The path of a path.
    package var path: PlannedPath? {
        if case .path(let path) = self { path } else { nil }
    }
}
