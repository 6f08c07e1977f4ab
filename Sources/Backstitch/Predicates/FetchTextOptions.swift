/// The folding of text before a comparison: `[c]`, `[d]`, `[cd]` of the format language.
///
/// Folding is defined once, for objects in memory and for every store:
/// - ``diacriticInsensitive``: canonical decomposition (NFD), then removal of the combining marks U+0300 to U+036F.
/// - ``caseInsensitive``: then each Unicode scalar is replaced by its simple lower-case mapping (one scalar for one, so
///   U+0130 `İ` becomes `i`, and `ß` stays).
/// - ``numeric``: then each run of the digits 0 to 9 counts as a number, so `file 9` comes before `file 10`. For orders
///   only.
///
/// Folded or not, texts are compared by their UTF-8 bytes.
public struct FetchTextOptions: OptionSet, Hashable, Sendable {
    /// The options as bits.
    public let rawValue: Int

    /// Makes options from their bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Upper and lower case are the same: `[c]`.
    public static let caseInsensitive = FetchTextOptions(rawValue: 1)
    /// Letters with and without combining marks are the same: `[d]`.
    public static let diacriticInsensitive = FetchTextOptions(rawValue: 2)
    /// Runs of digits are ordered by their number.
    public static let numeric = FetchTextOptions(rawValue: 4)
}

extension FetchTextOptions: CustomStringConvertible {
    /// The letters of the format language: `c`, `d`, `cd`, or nothing; and `n` for ``numeric``.
    public var description: String {
        (contains(.caseInsensitive) ? "c" : "") + (contains(.diacriticInsensitive) ? "d" : "")
            + (contains(.numeric) ? "n" : "")
    }
}

extension FetchTextOptions: Codable {
    /// Decodes the letters written by ``encode(to:)``.
    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        self = []
        for letter in text {
            switch letter {
            case "c": insert(.caseInsensitive)
            case "d": insert(.diacriticInsensitive)
            case "n": insert(.numeric)
            default:
                throw DecodingError.dataCorrupted(
                    .init(
                        codingPath: decoder.codingPath,
                        debugDescription: "text options are made of c, d and n, not \"\(letter)\""))
            }
        }
    }

    /// Encodes the letters of ``description``.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
