extension Key {
    /// True if the value is equal; nil equals nil.
    public static func == (key: Key, value: Argument?) -> FetchPredicate {
        key.compared(.equal, value.predicateExpression)
    }
    /// True if the value is not equal.
    public static func != (key: Key, value: Argument?) -> FetchPredicate {
        key.compared(.notEqual, value.predicateExpression)
    }
    /// True if the value equals the value of another key.
    public static func == (key: Key, other: Key) -> FetchPredicate { key.compared(.equal, other.expression) }
    /// True if the value does not equal the value of another key.
    public static func != (key: Key, other: Key) -> FetchPredicate { key.compared(.notEqual, other.expression) }
    /// True if the value is less than the argument.
    public static func < (key: Key, value: Argument) -> FetchPredicate {
        key.compared(.less, value.predicateExpression)
    }
    /// True if the value is less than the argument, or equal.
    public static func <= (key: Key, value: Argument) -> FetchPredicate {
        key.compared(.lessOrEqual, value.predicateExpression)
    }
    /// True if the value is greater than the argument.
    public static func > (key: Key, value: Argument) -> FetchPredicate {
        key.compared(.greater, value.predicateExpression)
    }
    /// True if the value is greater than the argument, or equal.
    public static func >= (key: Key, value: Argument) -> FetchPredicate {
        key.compared(.greaterOrEqual, value.predicateExpression)
    }
}

extension FetchPredicate {
    /// True if both are true. A chain becomes one list.
    public static func && (left: consuming FetchPredicate, right: FetchPredicate) -> FetchPredicate {
        switch consume left {
        case .and(var parts):
            parts.append(right)
            return .and(parts)
        case let single: return .and([single, right])
        }
    }

    /// True if at least one is true. A chain becomes one list.
    public static func || (left: consuming FetchPredicate, right: FetchPredicate) -> FetchPredicate {
        switch consume left {
        case .or(var parts):
            parts.append(right)
            return .or(parts)
        case let single: return .or([single, right])
        }
    }

    /// True if the predicate is false.
    public static prefix func ! (predicate: FetchPredicate) -> FetchPredicate { .not(predicate) }
}
