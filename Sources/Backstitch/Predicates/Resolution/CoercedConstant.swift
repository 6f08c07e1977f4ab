import Foundation

/// A constant converted to the type of the other side.
enum CoercedConstant {
    /// The value in the type of the other side.
    case exact(Value)
    /// The type's next smaller value: the constant is between two values of the type.
    case justAbove(Value)
    /// The constant is above all values of the type.
    case aboveAll
    /// The constant is below all values of the type.
    case belowAll
}

extension PlannedKind {
    /// Converts a constant, not nil, to this kind; nil if it is of another type. `attribute` is the attribute on the
    /// other side.
    ///
    /// Integers are exact in every kind of number. A decimal counts as the nearest double. A double counts as the
    /// decimal that Swift prints for it, since `0.1` is meant as one tenth. Constants for a `float` are rounded to its
    /// precision.
    func coerce(_ value: Value, _ attribute: AttributeDescription?) -> CoercedConstant? {
        switch (self, value) {
        case (.integer, .int), (.boolean, .bool), (.text, .string), (.bytes, .data), (.uuid, .uuid): .exact(value)
        case (.integer, .double(let number)): Self.integer(number)
        case (.integer, .decimal(let number)): Self.integer(number)
        case (.double, .int(let number)): attribute?.type == .float ? Self.float(number) : Self.double(number)
        case (.double, .double(let number)): .exact(.double(Self.rounded(number, attribute)))
        case (.double, .decimal(let number)):
            Double(number.canonicalText).map { .exact(.double(Self.rounded($0, attribute))) }
        case (.decimal, .int(let number)): .exact(.decimal(Decimal(number)))
        case (.decimal, .decimal): .exact(value)
        case (.decimal, .double(let number)): .exact(Self.decimal(number))
        case (.boolean, .int(0)): .exact(.bool(false))
        case (.boolean, .int(1)): .exact(.bool(true))
        case (.text, .uri(let uri)): .exact(.string(uri.absoluteString))
        case (.date, .date(let date)): .exact(.date(date.roundedToMilliseconds))
        case (.object(let entity), .object(let id)): entity.isRelated(to: id) ? .exact(value) : nil
        default: nil
        }
    }

    private static func integer(_ number: Double) -> CoercedConstant {
        if let exact = Int64(exactly: number) { return .exact(.int(exact)) }
        if let floor = Int64(exactly: number.rounded(.down)) { return .justAbove(.int(floor)) }
        return number < 0 ? .belowAll : .aboveAll
    }

    private static func integer(_ number: Decimal) -> CoercedConstant {
        let parts = number.canonicalText.split(separator: ".")
        let isNegative = number < 0
        guard let whole = Int64(parts[0]) else { return isNegative ? .belowAll : .aboveAll }
        guard parts.count > 1 else { return .exact(.int(whole)) }
        let (floor, overflow) = whole.subtractingReportingOverflow(isNegative ? 1 : 0)
        return overflow ? .belowAll : .justAbove(.int(floor))
    }

    private static func double(_ number: Int64) -> CoercedConstant {
        if let exact = Double(exactly: number) { return .exact(.double(exact)) }
        let nearest = Double(number)
        return .justAbove(.double(ValueOrder.compare(number, nearest) < 0 ? nearest.nextDown : nearest))
    }

    private static func float(_ number: Int64) -> CoercedConstant {
        if let exact = Float(exactly: number) { return .exact(.double(Double(exact))) }
        let nearest = Float(number)
        return .justAbove(.double(Double(ValueOrder.compare(number, Double(nearest)) < 0 ? nearest.nextDown : nearest)))
    }

    private static func rounded(_ number: Double, _ attribute: AttributeDescription?) -> Double {
        guard attribute?.type == .float else { return number }
        let rounded = Double(Float(number))
        return rounded.isFinite ? rounded : number
    }

    /// The decimal that Swift prints for a double; the double itself if no `Decimal` is equal to it.
    private static func decimal(_ number: Double) -> Value {
        let text = "\(number)"
        guard let decimal = Decimal(canonicalText: text), DecimalText.compare(decimal.canonicalText, text) == 0 else {
            return .double(number)
        }
        return .decimal(decimal)
    }
}

extension Value {
    /// Whether it is a number or date that is NaN. It counts as nil.
    var isNotANumber: Bool {
        switch self {
        case .double(let number): number.isNaN
        case .decimal(let number): number.isNaN
        case .date(let date): date.timeIntervalSince1970.isNaN
        default: false
        }
    }

    /// The text folded by the options; any other value unchanged.
    func folded(_ options: FetchTextOptions) -> Value {
        if case .string(let text) = self { .string(TextFolding.fold(text, options)) } else { self }
    }

    /// The value in a form for `==`: equal values have equal forms. Decimals and URIs become their text.
    var lookupKey: Value {
        switch self {
        case .decimal(let number): .string(number.canonicalText)
        case .uri(let uri): .string(uri.absoluteString)
        default: self
        }
    }
}
