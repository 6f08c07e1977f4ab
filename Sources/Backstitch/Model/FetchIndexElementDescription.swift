/// An attribute or to-one relationship in an index, and how it is ordered there.
public struct FetchIndexElementDescription: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The property's name; `address.city` for a part of a composite attribute.
    public var property: String
    /// Whether small values come first. It matters where an index of several elements is to serve an order that mixes
    /// directions.
    public var isAscending: Bool
    /// How text is folded: the index serves comparisons and orders with just these options.
    public var options: FetchTextOptions

    /// An element.
    public init(_ property: String, ascending isAscending: Bool = true, options: FetchTextOptions = []) {
        self.property = property
        self.isAscending = isAscending
        self.options = options
    }

    /// A property as it is stored, small values first.
    public init(stringLiteral value: String) { self.init(value) }

    /// Small values first.
    public static func ascending(_ property: String, options: FetchTextOptions = []) -> FetchIndexElementDescription {
        FetchIndexElementDescription(property, options: options)
    }

    /// Large values first.
    public static func descending(_ property: String, options: FetchTextOptions = []) -> FetchIndexElementDescription {
        FetchIndexElementDescription(property, ascending: false, options: options)
    }
}

extension FetchIndexElementDescription: CustomStringConvertible {
    /// `title`, `title[cd]`, `-created`.
    public var description: String {
        (isAscending ? "" : "-") + property + (options.isEmpty ? "" : "[\(options)]")
    }

    /// The element that ``description`` describes; nil when the text is none.
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
