import Foundation

extension ComparisonPlan {
    /// Whether a value of the left side passes. `operand` returns the value of another operand.
    func passes(_ value: Value, operand: (PlannedOperand) throws -> Value) throws -> Bool {
        let folded: Value = options.isEmpty ? value : value.asText.folded(options)
        return try test.passes(folded, raw: value) { try self.folded($0, by: operand) } != isNegated
    }

    /// Constants of a plan are already folded; other operands are folded here.
    private func folded(_ side: PlannedOperand, by operand: (PlannedOperand) throws -> Value) throws -> Value {
        if case .constant(let value) = side { return value }
        let value = try operand(side)
        return options.isEmpty ? value : value.asText.folded(options)
    }
}

extension PlannedTest {
    /// Whether a value passes. `value` is folded, `raw` is not, since patterns fold it themselves.
    fileprivate func passes(_ value: Value, raw: Value, operand: (PlannedOperand) throws -> Value) throws -> Bool {
        switch self {
        case .never: return false
        case .absent: return value.isNull
        case .present: return !value.isNull
        case .equal(let side):
            let other = try operand(side)
            return value.isNull || other.isNull ? value.isNull && other.isNull : ValueOrder.compare(value, other) == 0
        case .bothAbsent(let side): return try value.isNull && operand(side).isNull
        case .ordered(let order, let side): return order.holds(ValueOrder.compare(value, try operand(side)))
        case .both(let one, let other):
            return try one.passes(value, raw: raw, operand: operand) && other.passes(value, raw: raw, operand: operand)
        case .member(let set): return set.contains(value)
        case .text(let test, let side):
            guard case .string(let text) = value.asText, case .string(let other) = try operand(side).asText else {
                return false
            }
            return test.holds(text, other)
        case .like(let pattern):
            guard case .string(let text) = raw.asText else { return false }
            return pattern.matches(text)
        case .matches(let pattern):
            guard case .string(let text) = raw.asText else { return false }
            return pattern.matches(text)
        }
    }
}

extension PlannedOrder {
    fileprivate func holds(_ order: Int?) -> Bool {
        guard let order else { return false }
        return switch self {
        case .less: order < 0
        case .lessOrEqual: order <= 0
        case .greater: order > 0
        case .greaterOrEqual: order >= 0
        }
    }
}

extension PlannedTextTest {
    /// Compares the UTF-8 bytes, so a match may begin or end inside a grapheme.
    fileprivate func holds(_ text: String, _ other: String) -> Bool {
        var (text, other) = (text, other)
        return text.withUTF8 { text in
            other.withUTF8 { other in
                guard text.count >= other.count else { return false }
                let last = text.count - other.count
                return switch self {
                case .contains: Self.contains(text, other)
                case .beginsWith: Self.isEqual(text, 0, other)
                case .endsWith: Self.isEqual(text, last, other)
                }
            }
        }
    }

    private static func contains(_ text: UnsafeBufferPointer<UInt8>, _ other: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let first = other.first else { return true }
        return (0...text.count - other.count).contains { text[$0] == first && isEqual(text, $0, other) }
    }

    private static func isEqual(
        _ text: UnsafeBufferPointer<UInt8>, _ offset: Int, _ other: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        guard let start = text.baseAddress, let bytes = other.baseAddress else { return other.isEmpty }
        return memcmp(start + offset, bytes, other.count) == 0
    }
}

extension Value {
    /// A URI as its text; any other value unchanged.
    fileprivate var asText: Value {
        if case .uri(let uri) = self { .string(uri.absoluteString) } else { self }
    }
}
