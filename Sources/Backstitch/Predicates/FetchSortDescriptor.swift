/// An order of fetched objects: by an attribute, or by an attribute at the end of a path through to-one relationships.
///
/// ```swift
/// [.ascending("folder.name", options: .caseInsensitive), .descending("created")]
/// ```
///
/// Nil comes first ascending, and so last descending. Text is ordered by its UTF-8 bytes, after folding if options ask
/// for it; numbers, dates and UUIDs by value; false comes before true. Objects that all descriptors leave equal are
/// ordered by key.
public struct FetchSortDescriptor: Sendable {
    /// The attribute, `created` or `folder.name`.
    public let keyPath: String
    /// Whether small values come first.
    public let ascending: Bool
    /// How text is folded before it is compared.
    public let options: FetchTextOptions
    /// The key path in a model, once it is resolved. No part of what it is equal to, nor of what is encoded.
    package internal(set) var path: PlannedPath?

    /// An order by `keyPath`.
    public init(_ keyPath: String, ascending: Bool = true, options: FetchTextOptions = []) {
        self.keyPath = keyPath
        self.ascending = ascending
        self.options = options
    }

    /// An order by `keyPath`, with one of the comparators that `NSSortDescriptor` has.
    public init(_ keyPath: String, ascending: Bool = true, comparator: FetchComparator) {
        self.init(keyPath, ascending: ascending, options: comparator.options)
    }

    /// Small values first.
    public static func ascending(_ keyPath: String, options: FetchTextOptions = []) -> FetchSortDescriptor {
        FetchSortDescriptor(keyPath, ascending: true, options: options)
    }

    /// Large values first.
    public static func descending(_ keyPath: String, options: FetchTextOptions = []) -> FetchSortDescriptor {
        FetchSortDescriptor(keyPath, ascending: false, options: options)
    }
}

extension FetchSortDescriptor: Hashable {
    /// Equal key path, direction and options.
    public static func == (left: FetchSortDescriptor, right: FetchSortDescriptor) -> Bool {
        left.keyPath == right.keyPath && left.ascending == right.ascending && left.options == right.options
    }

    /// Consistent with equality.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(keyPath)
        hasher.combine(ascending)
        hasher.combine(options)
    }
}

extension FetchSortDescriptor: Codable {
    private enum CodingKeys: String, CodingKey { case keyPath, ascending, options }

    /// Reads a descriptor; `ascending` and `options` may be left out.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try container.decode(String.self, forKey: .keyPath),
            ascending: try container.decodeIfPresent(Bool.self, forKey: .ascending) ?? true,
            options: try container.decodeIfPresent(FetchTextOptions.self, forKey: .options) ?? [])
    }

    /// Writes `{"keyPath": "folder.name", "ascending": true}`, and options where there are any.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(keyPath, forKey: .keyPath)
        try container.encode(ascending, forKey: .ascending)
        if !options.isEmpty { try container.encode(options, forKey: .options) }
    }
}
