public import Foundation

/// A value for `%@` in a predicate format, and for comparisons of a typed ``Key``.
///
/// Arguments are text, numbers, truth values, dates, bytes, UUIDs, URLs, objects and their ids, optionals of them, and
/// arrays and sets of them.
public protocol PredicateArgument {
    /// The argument as a constant, or as a list of constants.
    var predicateExpression: FetchExpression { get }
}

extension PredicateArgument where Self: FixedWidthInteger {
    /// The number as an integer constant; a decimal beyond `Int64`.
    public var predicateExpression: FetchExpression {
        if let number = Int64(exactly: self) { return .value(.int(number)) }
        return .value(Decimal(string: String(self), locale: nil).map(Value.decimal) ?? .null)
    }
}

extension Int: PredicateArgument {}
extension Int8: PredicateArgument {}
extension Int16: PredicateArgument {}
extension Int32: PredicateArgument {}
extension Int64: PredicateArgument {}
extension UInt: PredicateArgument {}
extension UInt8: PredicateArgument {}
extension UInt16: PredicateArgument {}
extension UInt32: PredicateArgument {}
extension UInt64: PredicateArgument {}

extension Double: PredicateArgument {
    /// The number as a double constant; NaN counts as nil.
    public var predicateExpression: FetchExpression { .value(.double(self)) }
}

extension Float: PredicateArgument {
    /// The same number as a double constant.
    public var predicateExpression: FetchExpression { .value(.double(Double(self))) }
}

extension Decimal: PredicateArgument {
    /// The number as a decimal constant.
    public var predicateExpression: FetchExpression { .value(.decimal(self)) }
}

extension Bool: PredicateArgument {
    /// The truth value as a constant.
    public var predicateExpression: FetchExpression { .value(.bool(self)) }
}

extension String: PredicateArgument {
    /// The text as a constant.
    public var predicateExpression: FetchExpression { .value(.string(self)) }
}

extension Substring: PredicateArgument {
    /// The text as a constant.
    public var predicateExpression: FetchExpression { .value(.string(String(self))) }
}

extension Date: PredicateArgument {
    /// The date as a constant.
    public var predicateExpression: FetchExpression { .value(.date(self)) }
}

extension Data: PredicateArgument {
    /// The bytes as a constant.
    public var predicateExpression: FetchExpression { .value(.data(self)) }
}

extension UUID: PredicateArgument {
    /// The UUID as a constant.
    public var predicateExpression: FetchExpression { .value(.uuid(self)) }
}

extension URL: PredicateArgument {
    /// The URI as a constant.
    public var predicateExpression: FetchExpression { .value(.uri(self)) }
}

extension ObjectID: PredicateArgument {
    /// The identity as a constant object.
    public var predicateExpression: FetchExpression { .value(.object(self)) }
}

extension Value: PredicateArgument {
    /// The value itself, as a constant.
    public var predicateExpression: FetchExpression { .value(self) }
}

extension FetchExpression: PredicateArgument {
    /// The expression itself, unchanged.
    public var predicateExpression: FetchExpression { self }
}

extension Optional: PredicateArgument where Wrapped: PredicateArgument {
    /// The wrapped value's expression, or nil.
    public var predicateExpression: FetchExpression { self?.predicateExpression ?? .value(.null) }
}

extension Array: PredicateArgument where Element: PredicateArgument {
    /// The elements as a list of constants.
    public var predicateExpression: FetchExpression { .list(map(\.predicateExpression)) }
}

extension ArraySlice: PredicateArgument where Element: PredicateArgument {
    /// The elements as a list of constants.
    public var predicateExpression: FetchExpression { .list(map(\.predicateExpression)) }
}

extension Set: PredicateArgument where Element: PredicateArgument {
    /// The elements as a list, in no particular order.
    public var predicateExpression: FetchExpression { .list(map(\.predicateExpression)) }
}
