/// Which side of a bound.
package enum PlannedOrder: Sendable, Hashable {
    case less, lessOrEqual, greater, greaterOrEqual

    /// The order of the sides exchanged.
    package var exchanged: PlannedOrder {
        switch self {
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        }
    }
}
