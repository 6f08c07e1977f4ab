import Foundation

/// The new value of a property in a batch update: a constant, another attribute's value before the update, or
/// arithmetic with them.
///
/// ```swift
/// ["isRead": true, "count": .key("count") + 1, "title": "old: " + .key("title"), "folder": .value(.object(id))]
/// ```
/// Arithmetic is exact: an integer overflow or a decimal that would lose digits is refused. `+` joins texts. If an
/// operand is nil, the result is nil.
public indirect enum BatchExpression: Sendable, Hashable {
    /// A constant value, nil included.
    case value(Value)
    /// The value of an attribute, or to-one relationship, of the same object.
    case key(String)
    /// An operation on two operands.
    case operation(Operation, BatchExpression, BatchExpression)

    /// The operation on two operands.
    public enum Operation: String, Sendable, Hashable {
        /// The sum of two numbers, or two texts joined.
        case add = "+"
        /// The difference of two numbers.
        case subtract = "-"
        /// The product of two numbers.
        case multiply = "*"
    }

    /// Adds two numbers, or joins two texts.
    public static func + (left: BatchExpression, right: BatchExpression) -> BatchExpression {
        .operation(.add, left, right)
    }
    /// Subtracts the right number from the left.
    public static func - (left: BatchExpression, right: BatchExpression) -> BatchExpression {
        .operation(.subtract, left, right)
    }
    /// Multiplies the two numbers.
    public static func * (left: BatchExpression, right: BatchExpression) -> BatchExpression {
        .operation(.multiply, left, right)
    }
}

extension BatchExpression: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByNilLiteral
{
    /// Makes a constant text from a literal.
    public init(stringLiteral value: String) { self = .value(.string(value)) }
    /// Makes a constant integer from a literal.
    public init(integerLiteral value: Int64) { self = .value(.int(value)) }
    /// Makes a constant double from a literal.
    public init(floatLiteral value: Double) { self = .value(.double(value)) }
    /// Makes a constant truth value from a literal.
    public init(booleanLiteral value: Bool) { self = .value(.bool(value)) }
    /// Makes the constant nil from a literal.
    public init(nilLiteral: ()) { self = .value(.null) }
}

extension BatchExpression.Operation {
    /// Applies the operation; nil if there is no exact result.
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
