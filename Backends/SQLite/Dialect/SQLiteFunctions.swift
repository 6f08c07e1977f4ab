import Backstitch

/// The functions and collation that a SQLite connection needs besides SQL's own. A store registers on each of its
/// connections, as pure (deterministic) functions:
///
/// | SQL | Swift |
/// |---|---|
/// | `backstitch_fold(text, flags)` | ``fold(_:flags:)`` |
/// | `backstitch_uppercase(text)` | ``uppercase(_:)`` |
/// | `backstitch_matches(text, pattern, flags)` | ``matches(_:_:flags:)`` |
/// | `backstitch_decimal(real)` | ``decimal(_:)`` |
/// | aggregates `backstitch_decimal_sum(decimal)`, `backstitch_decimal_average(decimal)` | ``DecimalSum`` |
/// | collation `backstitch_decimal` | ``compareDecimals(_:_:)`` |
///
/// `flags` is the raw value of ``FetchTextOptions``. NULL gives NULL. Columns of decimals may be declared with the
/// collation, so that indexes on them serve comparisons; every comparison and order names it anyhow.
enum SQLiteFunctions {
    /// Name of the function of ``fold(_:flags:)``.
    static let fold = "backstitch_fold"
    /// Name of the function of ``uppercase(_:)``.
    static let uppercase = "backstitch_uppercase"
    /// Name of the function of ``matches(_:_:flags:)``.
    static let matches = "backstitch_matches"
    /// Name of the function of ``decimal(_:)``.
    static let decimal = "backstitch_decimal"
    /// Name of the aggregate that adds decimals.
    static let decimalSum = "backstitch_decimal_sum"
    /// Name of the aggregate that is the mean of decimals.
    static let decimalAverage = "backstitch_decimal_average"
    /// Name of the collation of decimal text.
    static let decimalCollation = "backstitch_decimal"

    /// Text folded for comparing.
    static func fold(_ text: String?, flags: Int64) -> String? {
        text.map { TextFolding.fold($0, FetchTextOptions(rawValue: Int(flags))) }
    }

    /// Text in capitals: the opposite of the lower-case mapping, scalar by scalar.
    static func uppercase(_ text: String?) -> String? {
        text.map { text in
            String(String.UnicodeScalarView(text.unicodeScalars.map { TextFolding.capitals[$0] ?? $0 }))
        }
    }

    /// Whether the whole of a text matches a regular expression.
    ///
    /// - Throws: ``BackstitchError/Code/invalidPredicate`` when the pattern is none.
    static func matches(_ text: String?, _ pattern: String?, flags: Int64) throws -> Bool? {
        guard let text, let pattern else { return nil }
        return try RegularPatternCache.shared.pattern(pattern, FetchTextOptions(rawValue: Int(flags))).matches(text)
    }

    /// The decimal that Swift prints for a double, to be compared with decimals.
    static func decimal(_ number: Double?) -> String? { number.map { "\($0)" } }

    /// Less than, equal to, or greater than zero as the first decimal text is to the second by value.
    static func compareDecimals(_ left: String, _ right: String) -> Int { DecimalText.compare(left, right) }
}

/// Patterns that were read lately, so that a scan reads its pattern once.
private final class RegularPatternCache: Sendable {
    static let shared = RegularPatternCache()
    private static let capacity = 32

    private struct Key: Hashable {
        let text: String
        let options: FetchTextOptions
    }

    private let patterns = Locked<[Key: RegularPattern]>([:])

    func pattern(_ text: String, _ options: FetchTextOptions) throws -> RegularPattern {
        let key = Key(text: text, options: options)
        // Keys are equal as Swift's strings are, which is wider than by bytes.
        if let known = patterns.withLock({ $0[key] }), known.text.utf8.elementsEqual(text.utf8) { return known }
        let pattern = try RegularPattern(text, options)
        patterns.withLock { patterns in
            if patterns.count >= Self.capacity { patterns.removeAll() }
            patterns[key] = pattern
        }
        return pattern
    }
}
