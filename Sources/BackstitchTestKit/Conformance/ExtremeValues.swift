import Backstitch
import Foundation

/// Values at the ends of their types.
enum ExtremeValues {
    /// The values of one object each: the least, the greatest, and those that are not ordinary numbers.
    static let all: [[String: Value]] = [
        [
            "integer16": .int(Int64(Int16.min)), "integer32": .int(Int64(Int32.min)), "integer64": .int(.min),
            "decimal": .decimal(Decimal(string: "-99999999999999999999999999999999999999") ?? 0),
            "double": .double(-.greatestFiniteMagnitude), "float": .double(Double(-Float.greatestFiniteMagnitude)),
            "string": "e\u{301} \u{E9} \u{0}nul \u{1F9F5}", "boolean": true,
            "date": .date(Date(milliseconds: -62_135_596_800_000)),
            "binary": .data(Data(0...255)), "uuid": .uuid(ObjectKey(high: .max, low: .max).uuid),
        ],
        [
            "integer16": .int(Int64(Int16.max)), "integer32": .int(Int64(Int32.max)), "integer64": .int(.max),
            "decimal": .decimal(Decimal(string: "0.00000000000000000000000000000000000001") ?? 0),
            "double": .double(.leastNonzeroMagnitude), "float": .double(Double(Float.leastNonzeroMagnitude)),
            "string": .string(String(repeating: "long ", count: 20_000)), "boolean": false,
            "date": .date(Date(milliseconds: 253_402_300_799_999)), "external": .data(Data([0, 1, 2])),
            "uri": URL(string: "https://example.org/a?b=c#d").map(Value.uri) ?? .null,
            "uuid": .uuid(ObjectKey(high: 0, low: 1).uuid),
        ],
        ["double": .double(.infinity), "float": .double(-.infinity), "decimal": .decimal(0), "integer64": 0],
    ]
}
