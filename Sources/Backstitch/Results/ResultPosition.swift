/// The place of an object among sectioned results.
public struct ResultPosition: Hashable, Sendable, Comparable {
    /// The index of the section, from 0.
    public let section: Int
    /// The index of the object in the section, from 0.
    public let item: Int

    /// Creates the place of an object in a section.
    public init(section: Int, item: Int) {
        self.section = section
        self.item = item
    }

    /// Compares sections first, then items.
    public static func < (left: ResultPosition, right: ResultPosition) -> Bool {
        (left.section, left.item) < (right.section, right.item)
    }
}
