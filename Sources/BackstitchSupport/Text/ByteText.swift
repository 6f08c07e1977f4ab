/// A text compared, hashed and ordered by the bytes of its UTF-8.
///
/// `String` takes canonically equivalent texts as equal, and normalises to compare them: a run of n combining marks
/// costs n². Databases compare bytes, so they tell such texts apart. Therefore texts from outside are keys of
/// dictionaries and members of sets as this type.
package struct ByteText: Hashable, Comparable, Sendable {
    package let string: String

    @inlinable
    package init(_ string: String) {
        self.string = string
    }

    @inlinable
    package init(_ text: some StringProtocol) {
        string = String(text)
    }

    /// Whether both texts have the same bytes. Complexity: O(bytes).
    @inlinable
    package static func == (left: ByteText, right: ByteText) -> Bool { left.string.isSame(as: right.string) }

    /// Orders the texts by their bytes. Complexity: O(bytes).
    @inlinable
    package static func < (left: ByteText, right: ByteText) -> Bool { left.string.isBefore(right.string) }

    @inlinable
    package func hash(into hasher: inout Hasher) { string.hashBytes(into: &hasher) }
}

extension ByteText: ExpressibleByStringLiteral {
    @inlinable
    package init(stringLiteral value: String) { self.init(value) }
}

extension ByteText: CustomStringConvertible {
    package var description: String { string }
}
