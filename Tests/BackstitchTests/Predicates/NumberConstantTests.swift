import Backstitch
import Foundation
import Testing

/// The plan of a comparison rounds constants to the attribute's type and changes the operator with it. Here the exact
/// numbers are compared instead, digit by digit.
@Suite("constants of another number type")
struct NumberConstantTests {
    private static let integers: [Int64] = [
        .min, .min + 1, -3, -2, -1, 0, 1, 2, 3, 16_777_216, 16_777_217, 9_007_199_254_740_992, 9_007_199_254_740_993,
        9_223_372_036_854_774_784, .max - 1, .max,
    ]
    private static let doubles = [
        -.infinity, -1e300, -0x1p63, -2.5, -2, -0.5, -.leastNonzeroMagnitude, -0.0, 0.5, 1, 1.5, 2.0.nextUp, 16_777_217,
        9_007_199_254_740_994, 0x1p63,
        (0x1p63).nextDown, (0x1p63).nextUp, 1e300, .infinity,
    ]
    private static let decimals = [
        "-9223372036854775808.5", "-9223372036854775808", "-9223372036854775809", "-2.5", "-0.1", "0", "0.1",
        "1.0000000000000000001", "2.5",
        "9223372036854775807", "9223372036854775807.5", "9223372036854775808", "9007199254740993",
        "12345678901234567890123456789",
    ].compactMap { Decimal(canonicalText: $0) }

    private let operators: [(FetchComparison.Operator, (Int) -> Bool)] = [
        (.equal, { $0 == 0 }), (.notEqual, { $0 != 0 }), (.less, { $0 < 0 }), (.lessOrEqual, { $0 <= 0 }),
        (.greater, { $0 > 0 }),
        (.greaterOrEqual, { $0 >= 0 }),
    ]

    private func check(_ key: String, _ values: [Value], _ constants: [Value]) throws {
        let bench = try PredicateBench()
        for constant in constants {
            for (comparisonOperator, holds) in operators {
                let written = FetchPredicate.comparison(
                    FetchComparison(.keyPath(FetchKeyPath(key)), comparisonOperator, .value(constant)))
                let predicate = try written.resolved(for: bench.note, in: bench.model)
                for value in values {
                    let expected = holds(DecimalText.compare(exactText(value), exactText(constant)))
                    let found = try predicate.evaluate(MemorySubject("Note", 1, [key: value]))
                    #expect(found == expected, "\(value) in \(written), resolved as \(predicate)")
                }
            }
            let member = FetchPredicate.comparison(
                FetchComparison(.keyPath(FetchKeyPath(key)), .in, .values([constant])))
            for value in values {
                let expected = DecimalText.compare(exactText(value), exactText(constant)) == 0
                #expect(
                    try bench.holds(member, for: MemorySubject("Note", 1, [key: value])) == expected,
                    "\(value) in \(member)")
            }
        }
    }

    /// All digits of a number.
    private func exactText(_ value: Value) -> String {
        switch value {
        case .int(let number): "\(number)"
        case .double(let number): number.isFinite ? String(format: "%.1100f", number) : "\(number)"
        case .decimal(let number): number.canonicalText
        default: ""
        }
    }

    @Test("integers compare exactly with integers, doubles and decimals")
    func integers() throws {
        let values = Self.integers.map(Value.int)
        try check("size", values, values + Self.doubles.map(Value.double) + Self.decimals.map(Value.decimal))
    }

    @Test("doubles and floats compare exactly with integers, and doubles with doubles")
    func doubles() throws {
        try check(
            "score", Self.doubles.map(Value.double), Self.integers.map(Value.int) + Self.doubles.map(Value.double))
        let floats = Self.doubles.map { Value.double(Double(Float($0))) }
        try check("ratio", floats, Self.integers.map(Value.int) + floats)
    }

    @Test("decimals compare exactly with integers and decimals")
    func decimals() throws {
        let values = Self.decimals.map(Value.decimal)
        try check("price", values, values + Self.integers.map(Value.int))
    }

    @Test(
        "a double with a decimal counts as the decimal that is printed for it, and a constant decimal as the nearest double"
    )
    func mixed() throws {
        let bench = try PredicateBench()
        let subject = MemorySubject("Note", 1, ["price": .decimal(Decimal(canonicalText: "0.1") ?? 0), "score": 0.1])
        for format in [
            "price == %@", "price <= %@", "price >= %@", "price IN {%@}", "score == %@", "score IN {%@}",
            "price == score",
        ] {
            #expect(
                try bench.holds(format.contains("%@") ? format : format + " AND 0.1 == %@", [0.1], for: subject),
                "\(format)")
        }
        #expect(try bench.holds("score == %@", [Decimal(canonicalText: "0.1000000000000000055")], for: subject))
        #expect(try bench.holds("price < %@ AND price > %@", [Double.infinity, -1e300], for: subject))
        #expect(try bench.holds("price > %@", [1e-200], for: subject))
        #expect(try !bench.holds("price == %@", [1e-200], for: subject))
    }
}
