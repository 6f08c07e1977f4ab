package import Backstitch
package import Foundation

extension RandomNumberGenerator {
    /// One of the elements.
    package mutating func pick<T>(_ elements: [T]) -> T { elements[Int.random(in: 0..<elements.count, using: &self)] }

    /// True once in `count` times.
    package mutating func once(in count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }

    package mutating func key() -> ObjectKey { ObjectKey(high: next(), low: next()) }
}

/// Values that are likely to be treated wrongly, few enough to meet each other.
package enum RandomValues {
    package static let texts = [
        "", "a", "A", "b", "ab", "aB", "ba", "é", "e\u{301}", "É", "E\u{301}", "e", "ß", "ẞ", "ss", "İ", "i", "ı", "I",
        "K", "k",
        "\u{212A}", "Å", "\u{212B}", "a\u{30A}", "한국", "\u{1112}\u{1161}\u{11AB}\u{1100}\u{116E}\u{11A8}", "👩‍👩‍👧", "👩",
        "𝒳",
        "a%b_c", "it's", "\"q\"", "[x]", "*star?", "back\\slash", "line\nbreak", "tab\t", "z\u{327}\u{301}",
        "z\u{301}\u{327}",
        "\u{FFFF}", "\u{10FFFF}", "\u{D7FF}", "\u{E000}", "a\u{34F}b", "Σ", "σ", "ς", "ǅ", "ǆ", "0", "1", "10", "9",
        " ", "a b",
        "; DROP TABLE \"Note\"; --", "%@", "?", "NULL", "\u{5D0}\u{5B0}\u{5BC}", "\u{5D0}\u{5BC}\u{5B0}", "が",
        "か\u{3099}", "\u{1F71}",
    ]
    package static let doubles = [
        0, -0.0, 0.1, 0.1 + 0.2, 0.3, 1, -1, 1.5, 2, -2.5, .infinity, -.infinity, .nan, .leastNonzeroMagnitude,
        .greatestFiniteMagnitude,
        9_223_372_036_854_775_808, -9_223_372_036_854_775_808, 9_007_199_254_740_992, 9_223_372_036_854_774_784, 1e22,
        1e-7, 100,
        0.10000000149011612,
    ]
    package static let integers: [Int64] = [
        .min, .max, .min + 1, .max - 1, 0, 1, -1, 2, 3, 100, 9_007_199_254_740_993, 9_007_199_254_740_992,
        9_223_372_036_854_774_784,
    ]
    package static let decimals = [
        "0", "0.1", "0.3", "1", "-1", "1.5", "-2.5", "2", "9223372036854775807", "9223372036854775808",
        "-9223372036854775808.5",
        "12345678901234567890.123456789", "0.000000000000000000000000000001", "100", "99.99", "10000000000000000000000",
        "99999999999999999999999999999999999999", "0.30000000000000004", "0.0000001",
    ].compactMap { Decimal(canonicalText: $0) }
    package static let milliseconds: [Int64] = [
        0, 1, -1, 1000, 1_700_000_000_000, 1_700_000_000_001, -62_135_596_800_000,
    ]

    package static func value(_ attribute: AttributeDescription, _ random: inout some RandomNumberGenerator) -> Value {
        if random.once(in: 5) { return .null }
        switch attribute.type {
        case .integer16:
            return .int([Int64(Int16.min), Int64(Int16.max), 0, 1, 2, 3, -1].randomElement(using: &random) ?? 0)
        case .integer32:
            return .int([Int64(Int32.min), Int64(Int32.max), 0, 1, 2, 3, -1].randomElement(using: &random) ?? 0)
        case .integer64: return .int(random.pick(integers))
        case .double: return .double(random.pick(doubles))
        case .float: return .double(Double(Float(random.pick(doubles))))
        case .decimal: return .decimal(random.pick(decimals))
        case .string: return .string(text(&random))
        case .boolean: return .bool(random.once(in: 2))
        case .date: return .date(Date(milliseconds: random.pick(milliseconds)))
        case .binary where attribute.allowsExternalStorage: return .asset(AssetReference(checksum: "sum", size: 3))
        case .binary, .transformable: return .data(bytes(&random))
        case .uuid: return .uuid(uuid(&random))
        case .uri: return .uri(uri(&random))
        }
    }

    package static func text(_ random: inout some RandomNumberGenerator) -> String {
        random.once(in: 3) ? random.pick(texts) + random.pick(texts) + random.pick(texts) : random.pick(texts)
    }

    package static func bytes(_ random: inout some RandomNumberGenerator) -> Data {
        random.pick([Data(), Data([0]), Data([0, 1]), Data([255]), Data("a".utf8)])
    }

    package static func uuid(_ random: inout some RandomNumberGenerator) -> UUID {
        ObjectKey(high: random.pick([0, 1, .max, 0x8000_0000_0000_0000]), low: random.pick([0, 1, .max])).uuid
    }

    package static func uri(_ random: inout some RandomNumberGenerator) -> URL {
        random.pick(
            ["http://a/b", "http://a/B", "HTTP://a/b", "urn:x:1", "http://example.org/%C3%A9", "mailto:a@b.c"]
                .compactMap(URL.init(string:)))
    }
}
