import Backstitch
import Foundation

/// Makes expressions of the values captured by a `#Predicate`.
enum ConstantExpression {
    /// Returns the value as a constant or a list; nil if no attribute has its type.
    static func expression(of value: Any) -> FetchExpression? {
        if let optional = value as? any OptionalValue {
            guard let wrapped = optional.wrappedValue else { return .value(.null) }
            return expression(of: wrapped)
        }
        switch value {
        case let argument as any PredicateArgument: return argument.predicateExpression
        case let attribute as any AttributeValue: return .value(attribute.attributeValue)
        case let text as any StringProtocol: return .value(.string(String(text)))
        case let character as Character: return .value(.string(String(character)))
        case let enumeration as any RawRepresentable: return expression(of: enumeration.rawValue)
        case let sequence as any Sequence: return list(sequence)
        default: return nil
        }
    }

    private static func list(_ sequence: any Sequence) -> FetchExpression? {
        var elements: [FetchExpression] = []
        for element in sequence {
            guard let expression = expression(of: element) else { return nil }
            elements.append(expression)
        }
        return .list(elements)
    }
}

/// An optional of any type, for values whose type is known only at run time.
private protocol OptionalValue {
    var wrappedValue: Any? { get }
}

extension Optional: OptionalValue {
    fileprivate var wrappedValue: Any? { self }
}
