/// Names of properties by their key paths.
///
/// A key path does not know the name of a computed property, but key paths of one property are equal. A `#Predicate` is
/// made of key paths, so its translation needs this table.
public struct KeyPathNames: Sendable {
    private let pairs: [(keyPath: any AnyKeyPath & Sendable, name: String)]

    /// Makes a table of key paths and names.
    ///
    /// ```swift
    /// static let keyPathNames = KeyPathNames([(\Note.title, "title"), (\Note.folder, "folder")])
    /// ```
    public init(_ pairs: [(keyPath: any AnyKeyPath & Sendable, name: String)]) {
        self.pairs = pairs
    }

    /// The name of the property at a key path; nil if the table has none. Complexity: O(properties).
    public subscript(keyPath: AnyKeyPath) -> String? {
        pairs.first { $0.keyPath as AnyKeyPath == keyPath }?.name
    }

    /// The names of all properties, in the order of the table.
    public var names: [String] { pairs.map(\.name) }
}
