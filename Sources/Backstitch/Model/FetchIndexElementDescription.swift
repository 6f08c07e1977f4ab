/// An attribute or to-one relationship in an index, and its order there.
public struct FetchIndexElementDescription: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The property's name; `address.city` for a part of a composite attribute.
    public var property: String
    /// Whether small values come first. It matters if an index of several elements serves an order of mixed directions.
    public var isAscending: Bool
    /// The folding of text: the index serves only comparisons and orders with exactly these options.
    public var options: FetchTextOptions

    /// Makes an element from a property's name.
    public init(_ property: String, ascending isAscending: Bool = true, options: FetchTextOptions = []) {
        self.property = property
        self.isAscending = isAscending
        self.options = options
    }

    /// Makes an ascending element without folding.
    public init(stringLiteral value: String) { self.init(value) }

    /// Makes an element with small values first.
    public static func ascending(_ property: String, options: FetchTextOptions = []) -> FetchIndexElementDescription {
        FetchIndexElementDescription(property, options: options)
    }

    /// Makes an element with large values first.
    public static func descending(_ property: String, options: FetchTextOptions = []) -> FetchIndexElementDescription {
        FetchIndexElementDescription(property, ascending: false, options: options)
    }
}

extension FetchIndexElementDescription: CustomStringConvertible {
    /// The element as text, for example `title`, `title[cd]`, `-created`.
    public var description: String {
        (isAscending ? "" : "-") + property + (options.isEmpty ? "" : "[\(options)]")
    }

    /// Parses the text of ``description``; nil for any other text.
    package init?(description: String) {
        let isAscending = !description.hasPrefix("-")
        let parts = description.dropFirst(isAscending ? 0 : 1).split(separator: "[", omittingEmptySubsequences: false)
        guard let property = parts.first, !property.isEmpty, parts.count <= 2 else { return nil }
        var options: FetchTextOptions = []
        if parts.count == 2 {
            guard parts[1].hasSuffix("]") else { return nil }
            for letter in parts[1].dropLast() {
                switch letter {
                case "c": options.insert(.caseInsensitive)
                case "d": options.insert(.diacriticInsensitive)
                case "n": options.insert(.numeric)
                default: return nil
                }
            }
        }
        self.init(String(property), ascending: isAscending, options: options)
    }
}
