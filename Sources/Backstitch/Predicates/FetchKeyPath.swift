/// A path of property names from an object: `folder.name`, `$tag.name` inside a `SUBQUERY`, or just `SELF`.
public struct FetchKeyPath: Hashable, Sendable {
    /// The beginning of a path.
    public enum Root: Hashable, Sendable {
        /// The object under evaluation.
        case subject
        /// The current element of an enclosing `SUBQUERY`, by the name of its variable.
        case variable(String)
    }

    /// The beginning of the path.
    public let root: Root
    /// The properties' names, in order; empty for the root itself.
    public let names: [String]

    /// Makes a path of names from a root.
    public init(root: Root = .subject, names: [String]) {
        self.root = root
        self.names = names
    }

    /// Parses a path: names between dots, after `SELF` or `$variable` if it does not begin at the object.
    public init(_ text: String) {
        var names = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard let first = names.first else {
            self.init(names: [])
            return
        }
        if first.hasPrefix("$") {
            names.removeFirst()
            self.init(root: .variable(String(first.dropFirst())), names: names)
        } else {
            if first.uppercased() == "SELF" { names.removeFirst() }
            self.init(names: names)
        }
    }
}

extension FetchKeyPath: ExpressibleByStringLiteral {
    /// Parses the path from the literal.
    public init(stringLiteral value: String) { self.init(value) }
}

extension FetchKeyPath: CustomStringConvertible {
    /// The path as text; ``init(_:)`` reads it back.
    public var description: String {
        switch root {
        case .subject: names.isEmpty ? "SELF" : names.joined(separator: ".")
        case .variable(let name): (["$" + name] + names).joined(separator: ".")
        }
    }
}

extension FetchKeyPath: Codable {
    /// Decodes the text of a path.
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(String.self))
    }

    /// Encodes the path as text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
