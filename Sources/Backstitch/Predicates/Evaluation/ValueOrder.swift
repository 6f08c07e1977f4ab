import Foundation

/// The order of two values of one kind. The stores order in the same way.
package enum ValueOrder {
    /// Compares two values: negative, zero or positive; nil if they cannot be compared, or one of them is nil.
    ///
    /// Numbers are compared exactly across their types. One exception: a double compared with a decimal counts as the
    /// decimal that Swift prints for it. `-0.0` equals `0.0`.
    package static func compare(_ left: Value, _ right: Value) -> Int? {
        switch (left, right) {
        case (.int(let a), .int(let b)): compare(a, b)
        case (.int(let a), .double(let b)): compare(a, b)
        case (.double(let a), .int(let b)): -compare(b, a)
        case (.double(let a), .double(let b)): compare(a, b)
        case (.string(let a), .string(let b)): compare(a, b)
        case (.date(let a), .date(let b)): compare(a.milliseconds, b.milliseconds)
        case (.bool(let a), .bool(let b)): compare(a ? 1 : 0, b ? 1 : 0)
        case (.uuid(let a), .uuid(let b)): compare(ObjectKey(a), ObjectKey(b))
        case (.object(let a), .object(let b)): compare(a.key, b.key)
        case (.data(let a), .data(let b)): a == b ? 0 : a.lexicographicallyPrecedes(b) ? -1 : 1
        case (.uri(let a), _): compare(.string(a.absoluteString), right)
        case (_, .uri(let b)): compare(left, .string(b.absoluteString))
        default: compareDecimals(left, right)
        }
    }

    /// Compares an integer and a double exactly: neither is rounded to the other's type.
    static func compare(_ left: Int64, _ right: Double) -> Int {
        // 2^63 is the first double beyond Int64.
        if right >= 0x1p63 { return -1 }
        if right < -0x1p63 { return 1 }
        let whole = Int64(right)
        return left == whole ? compare(Double(whole), right) : compare(left, whole)
    }

    private static func compare<T: Comparable>(_ left: T, _ right: T) -> Int {
        left < right ? -1 : left == right ? 0 : 1
    }

    private static func compare(_ left: String, _ right: String) -> Int {
        var (left, right) = (left, right)
        return left.withUTF8 { left in
            right.withUTF8 { right in
                let count = min(left.count, right.count)
                guard count > 0, let a = left.baseAddress, let b = right.baseAddress else {
                    return compare(left.count, right.count)
                }
                let order = Int(memcmp(a, b, count))
                return order == 0 ? compare(left.count, right.count) : order
            }
        }
    }

    private static func compareDecimals(_ left: Value, _ right: Value) -> Int? {
        guard let left = left.numberText, let right = right.numberText else { return nil }
        return DecimalText.compare(left, right)
    }
}

extension Value {
    /// A number as decimal text; nil for any other value.
    fileprivate var numberText: String? {
        switch self {
        case .int(let number): "\(number)"
        case .double(let number): "\(number)"
        case .decimal(let number): number.canonicalText
        default: nil
        }
    }
}
