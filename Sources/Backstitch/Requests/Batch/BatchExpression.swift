import Foundation

/// The value that a batch update gives a property: a constant, another attribute's value before the update, or
/// arithmetic with them.
///
/// ```swift
/// ["isRead": true, "count": .key("count") + 1, "title": "old: " + .key("title"), "folder": .value(.object(id))]
/// ```
/// Arithmetic is exact: integers that overflow and decimals that lose digits are refused. `+` joins texts. With nil the
/// result is nil.
public indirect enum BatchExpression: Sendable, Hashable {
    /// A constant.
    case value(Value)
    /// The value of an attribute, or to-one relationship, of the same object.
    case key(String)
    /// Two operands.
    case operation(Operation, BatchExpression, BatchExpression)

    /// The operation on two operands.
    public enum Operation: String, Sendable, Hashable {
        /// The sum of numbers, or texts one behind the other.
        case add = "+"
        /// The difference of numbers.
        case subtract = "-"
        /// The product of numbers.
        case multiply = "*"
    }

    /// The sum of numbers, or texts one behind the other.
    public static func + (left: BatchExpression, right: BatchExpression) -> BatchExpression {
        .operation(.add, left, right)
    }
    /// The difference of numbers.
    public static func - (left: BatchExpression, right: BatchExpression) -> BatchExpression {
        .operation(.subtract, left, right)
    }
    /// The product of numbers.
    public static func * (left: BatchExpression, right: BatchExpression) -> BatchExpression {
        .operation(.multiply, left, right)
    }
}

extension BatchExpression: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByNilLiteral
{
    /// A constant text.
    public init(stringLiteral value: String) { self = .value(.string(value)) }
    /// A constant integer.
    public init(integerLiteral value: Int64) { self = .value(.int(value)) }
    /// A constant double.
    public init(floatLiteral value: Double) { self = .value(.double(value)) }
    /// A constant truth value.
    public init(booleanLiteral value: Bool) { self = .value(.bool(value)) }
    /// No value.
    public init(nilLiteral: ()) { self = .value(.null) }
}

extension BatchExpression.Operation {
    /// The result; nil when there is none.
    func apply(_ left: Value, _ right: Value) -> Value? {
        switch (left, right) {
        case (.string(let left), .string(let right)): self == .add ? .string(left + right) : nil
        case (.int(let left), .int(let right)): integer(left, right)
        case (.double(let left), .double(let right)): .double(double(left, right))
        case (.double(let left), .int(let right)): Double(exactly: right).map { .double(double(left, $0)) }
        case (.int(let left), .double(let right)): Double(exactly: left).map { .double(double($0, right)) }
        case (.decimal(let left), .decimal(let right)): decimal(left, right)
        case (.decimal(let left), .int(let right)): decimal(left, Decimal(right))
        case (.int(let left), .decimal(let right)): decimal(Decimal(left), right)
        default: nil
        }
    }

    private func integer(_ left: Int64, _ right: Int64) -> Value? {
        let (result, overflows) =
            switch self {
            case .add: left.addingReportingOverflow(right)
            case .subtract: left.subtractingReportingOverflow(right)
            case .multiply: left.multipliedReportingOverflow(by: right)
            }
        return overflows ? nil : .int(result)
    }

    private func double(_ left: Double, _ right: Double) -> Double {
        switch self {
        case .add: left + right
        case .subtract: left - right
        case .multiply: left * right
        }
    }

    private func decimal(_ left: Decimal, _ right: Decimal) -> Value? {
        var (left, right, result) = (left, right, Decimal())
        let error =
            switch self {
            case .add: NSDecimalAdd(&result, &left, &right, .plain)
            case .subtract: NSDecimalSubtract(&result, &left, &right, .plain)
            case .multiply: NSDecimalMultiply(&result, &left, &right, .plain)
            }
        return error == .noError ? .decimal(result) : nil
    }
}
