extension Key {
    /// The value equals; nil equals nil.
    public static func == (key: Key, value: Argument?) -> FetchPredicate {
        key.compared(.equal, value.predicateExpression)
    }
    /// The value does not equal.
    public static func != (key: Key, value: Argument?) -> FetchPredicate {
        key.compared(.notEqual, value.predicateExpression)
    }
    /// The value equals that of another key.
    public static func == (key: Key, other: Key) -> FetchPredicate { key.compared(.equal, other.expression) }
    /// The value does not equal that of another key.
    public static func != (key: Key, other: Key) -> FetchPredicate { key.compared(.notEqual, other.expression) }
    /// The value is less.
    public static func < (key: Key, value: Argument) -> FetchPredicate {
        key.compared(.less, value.predicateExpression)
    }
    /// The value is less or equal.
    public static func <= (key: Key, value: Argument) -> FetchPredicate {
        key.compared(.lessOrEqual, value.predicateExpression)
    }
    /// The value is greater.
    public static func > (key: Key, value: Argument) -> FetchPredicate {
        key.compared(.greater, value.predicateExpression)
    }
    /// The value is greater or equal.
    public static func >= (key: Key, value: Argument) -> FetchPredicate {
        key.compared(.greaterOrEqual, value.predicateExpression)
    }
}

extension FetchPredicate {
    /// Both; a chain of them is one list.
    public static func && (left: consuming FetchPredicate, right: FetchPredicate) -> FetchPredicate {
        switch consume left {
        case .and(var parts):
            parts.append(right)
            return .and(parts)
        case let single: return .and([single, right])
        }
    }

    /// At least one; a chain of them is one list.
    public static func || (left: consuming FetchPredicate, right: FetchPredicate) -> FetchPredicate {
        switch consume left {
        case .or(var parts):
            parts.append(right)
            return .or(parts)
        case let single: return .or([single, right])
        }
    }

    /// The negation.
    public static prefix func ! (predicate: FetchPredicate) -> FetchPredicate { .not(predicate) }
}
