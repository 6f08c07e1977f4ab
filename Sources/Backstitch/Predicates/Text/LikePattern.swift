/// A pattern of `LIKE`: `?` matches one Unicode scalar, `*` any number of them; a backslash makes the next scalar
/// literal.
package struct LikePattern: Hashable, Sendable {
    /// A part of a pattern.
    package enum Element: Hashable, Sendable {
        /// Matches exactly this scalar.
        case scalar(Unicode.Scalar)
        /// Matches any one scalar.
        case one
        /// Matches any number of scalars, even none.
        case many
    }

    /// The parts, in order; never two ``Element/many`` in a row.
    package let elements: [Element]
    /// The folding of the text before the match; the pattern is already folded.
    package let options: FetchTextOptions

    /// The most `*` in a pattern, and the most bytes. SQL databases limit both.
    private static let maximumStars = 100
    private static let maximumBytes = 10_000

    /// Parses a pattern and folds it by the options.
    ///
    /// - Throws: ``BackstitchError/Code/invalidPredicate`` if it ends with a single backslash or is too long.
    package init(_ text: String, _ options: FetchTextOptions) throws(BackstitchError) {
        var elements: [Element] = []
        var literal = String.UnicodeScalarView()
        func flush() {
            elements += TextFolding.fold(String(literal), options).unicodeScalars.map(Element.scalar)
            literal = String.UnicodeScalarView()
        }
        var scalars = text.unicodeScalars.makeIterator()
        while let scalar = scalars.next() {
            switch scalar {
            case "*":
                flush()
                if elements.last != .many { elements.append(.many) }
            case "?":
                flush()
                elements.append(.one)
            case "\\":
                guard let next = scalars.next() else {
                    throw BackstitchError(
                        .invalidPredicate,
                        "the pattern \"\(text)\" of LIKE ends with a backslash; write two for a backslash itself")
                }
                literal.append(next)
            default: literal.append(scalar)
            }
        }
        flush()
        guard elements.count(where: { $0 == .many }) <= Self.maximumStars, text.utf8.count <= Self.maximumBytes else {
            throw BackstitchError(
                .invalidPredicate,
                "a pattern of LIKE has up to \(Self.maximumStars) stars and \(Self.maximumBytes) bytes")
        }
        self.elements = elements
        self.options = options
    }

    /// Whether the whole of `text` matches. Complexity: O(length of the text · length of the pattern) at worst.
    package func matches(_ text: String) -> Bool {
        let scalars = Array(TextFolding.fold(text, options).unicodeScalars)
        var (position, element) = (0, 0)
        // The place to retry from if a later part fails: after the last star, one scalar further each time.
        var retry: (position: Int, element: Int)?
        while position < scalars.count {
            if element < elements.count, elements[element] == .many {
                element += 1
                retry = (position, element)
            } else if element < elements.count, accepts(elements[element], scalars[position]) {
                element += 1
                position += 1
            } else if let last = retry {
                retry = (last.position + 1, last.element)
                (position, element) = (last.position + 1, last.element)
            } else {
                return false
            }
        }
        return elements[element...].allSatisfy { $0 == .many }
    }

    private func accepts(_ element: Element, _ scalar: Unicode.Scalar) -> Bool {
        if case .scalar(let wanted) = element { return wanted == scalar }
        return true
    }
}
