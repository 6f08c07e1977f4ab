package import Backstitch
import Foundation

/// Values for attributes of every type, most of them of another type or at a limit.
package enum MatrixValues {
    /// Every type of attribute.
    package static let types: [AttributeType] = [
        .integer16, .integer32, .integer64, .decimal, .double, .float, .string, .boolean, .date, .binary, .uuid, .uri,
        .transformable(transformer: "raw"),
    ]

    /// Usual and extreme values of every kind.
    package static let all: [Value] = texts + numbers + decimals + dates + others

    private static let texts: [Value] = [
        .null, .bool(true), .string(""), .string("a\0b"), .string(String(repeating: "\u{301}\u{323}", count: 500)),
    ]

    private static let numbers: [Value] = {
        let integers: [Int64] = [0, 1, -1, .min, .max, 40_000]
        let doubles: [Double] = [
            0, -0.0, 1.5, .nan, .signalingNaN, .infinity, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude,
            -.greatestFiniteMagnitude, 0x1p63, 1e40,
        ]
        return integers.map(Value.int) + doubles.map(Value.double)
    }()

    private static let decimals: [Value] = {
        let decimals: [Decimal] = [
            0, .nan, .greatestFiniteMagnitude, .leastFiniteMagnitude, .leastNonzeroMagnitude,
            Decimal(sign: .minus, exponent: -127, significand: 1), Decimal(sign: .plus, exponent: 127, significand: 9),
        ]
        return decimals.map(Value.decimal)
    }()

    private static let dates: [Value] = {
        let seconds: [Double] = [
            0, .nan, .infinity, -.infinity, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, 1e15, -1e15, 1e11,
            -1e11, 9_223_372_036_854_775, 1e18, 0.000_4,
        ]
        let dates = seconds.map { Date(timeIntervalSince1970: $0) } + [.distantPast, .distantFuture]
        return dates.map(Value.date)
    }()

    private static let others: [Value] = {
        let bytes: [Data] = [Data(), Data([0]), Data(repeating: 255, count: 5_000)]
        let addresses = ["about:blank", "https://example.org/%00?q=x#y", "a", "//"].compactMap { URL(string: $0) }
        return bytes.map(Value.data) + addresses.map(Value.uri) + [
            .uuid(ObjectKey(high: 0, low: 0).uuid), .asset(AssetReference(checksum: "", size: -1)),
            .object(ObjectID(entityName: "Thing", key: ObjectKey(high: 0, low: 0))),
        ]
    }()
}
