/// An order of fetched objects: by an attribute, or by an attribute at the end of a path through to-one relationships.
///
/// ```swift
/// [.ascending("folder.name", options: .caseInsensitive), .descending("created")]
/// ```
///
/// Nil comes first in ascending order, and last in descending order. Text is ordered by its UTF-8 bytes, after folding
/// if options ask for it. Numbers, dates and UUIDs are ordered by value; false comes before true. Objects equal under
/// all descriptors are ordered by key.
public struct FetchSortDescriptor: Sendable {
    /// The path of the attribute, `created` or `folder.name`.
    public let keyPath: String
    /// Whether small values come first.
    public let ascending: Bool
    /// The folding of text before the comparison.
    public let options: FetchTextOptions
    /// The key path in a model, after its resolution. Equality and coding ignore it.
    package internal(set) var path: PlannedPath?

    /// Makes an order by `keyPath`.
    public init(_ keyPath: String, ascending: Bool = true, options: FetchTextOptions = []) {
        self.keyPath = keyPath
        self.ascending = ascending
        self.options = options
    }

    /// Makes an order by `keyPath`, with a comparator named as for `NSSortDescriptor`.
    public init(_ keyPath: String, ascending: Bool = true, comparator: FetchComparator) {
        self.init(keyPath, ascending: ascending, options: comparator.options)
    }

    /// Makes an order with small values first.
    public static func ascending(_ keyPath: String, options: FetchTextOptions = []) -> FetchSortDescriptor {
        FetchSortDescriptor(keyPath, ascending: true, options: options)
    }

    /// Makes an order with large values first.
    public static func descending(_ keyPath: String, options: FetchTextOptions = []) -> FetchSortDescriptor {
        FetchSortDescriptor(keyPath, ascending: false, options: options)
    }
}

extension FetchSortDescriptor: Hashable {
    /// Compares key path, direction and options.
    public static func == (left: FetchSortDescriptor, right: FetchSortDescriptor) -> Bool {
        left.keyPath == right.keyPath && left.ascending == right.ascending && left.options == right.options
    }

    /// Hashes consistently with equality.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(keyPath)
        hasher.combine(ascending)
        hasher.combine(options)
    }
}

extension FetchSortDescriptor: Codable {
    private enum CodingKeys: String, CodingKey { case keyPath, ascending, options }

    /// Decodes a descriptor; `ascending` and `options` may be missing.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try container.decode(String.self, forKey: .keyPath),
            ascending: try container.decodeIfPresent(Bool.self, forKey: .ascending) ?? true,
            options: try container.decodeIfPresent(FetchTextOptions.self, forKey: .options) ?? [])
    }

    /// Encodes `{"keyPath": "folder.name", "ascending": true}`, with options if there are any.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(keyPath, forKey: .keyPath)
        try container.encode(ascending, forKey: .ascending)
        if !options.isEmpty { try container.encode(options, forKey: .options) }
    }
}
