import Backstitch
import BackstitchSupport

/// The parts of predicates that SQL cannot express, in Swift, for databases in the program's own process. A backend
/// registers them on its connections, as pure (deterministic) functions under names of its own. Nil gives nil.
package enum SQLFunctions {
    /// Text folded for comparison.
    package static func fold(_ text: String?, flags: Int64) -> String? {
        text.map { TextFolding.fold($0, FetchTextOptions(rawValue: Int(flags))) }
    }

    /// Text in capitals: the inverse of the lower-case mapping, scalar by scalar.
    package static func uppercase(_ text: String?) -> String? {
        text.map { text in
            String(String.UnicodeScalarView(text.unicodeScalars.map { TextFolding.capitals[$0] ?? $0 }))
        }
    }

    /// Whether a whole text matches a regular expression.
    ///
    /// - Throws: ``BackstitchError/Code/invalidPredicate`` when the pattern is invalid.
    package static func matches(_ text: String?, _ pattern: String?, flags: Int64) throws -> Bool? {
        guard let text, let pattern else { return nil }
        return try RegularPatternCache.shared.pattern(pattern, FetchTextOptions(rawValue: Int(flags))).matches(text)
    }

    /// The decimal that Swift prints for a double, for comparison with decimals.
    package static func decimal(_ number: Double?) -> String? { number.map { "\($0)" } }

    /// Compares two decimal texts by value: less than, equal to, or greater than zero.
    package static func compareDecimals(_ left: String, _ right: String) -> Int { DecimalText.compare(left, right) }
}

/// Keeps recently read patterns, so that a scan reads its pattern only once.
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
        // Swift's strings can be equal with different bytes, so the bytes are compared too.
        if let known = patterns.withLock({ $0[key] }), known.text.utf8.elementsEqual(text.utf8) { return known }
        let pattern = try RegularPattern(text, options)
        patterns.withLock { patterns in
            if patterns.count >= Self.capacity { patterns.removeAll() }
            patterns[key] = pattern
        }
        return pattern
    }
}
