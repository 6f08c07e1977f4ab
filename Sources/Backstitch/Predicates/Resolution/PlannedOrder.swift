/// The order of a value relative to a bound.
package enum PlannedOrder: Sendable, Hashable {
    case less, lessOrEqual, greater, greaterOrEqual

    /// The same order with the two sides exchanged.
    package var exchanged: PlannedOrder {
        switch self {
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        }
    }
}
