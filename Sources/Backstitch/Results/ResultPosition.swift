/// The place of an object among sectioned results.
public struct ResultPosition: Hashable, Sendable, Comparable {
    /// Which section, from 0.
    public let section: Int
    /// Which object of the section, from 0.
    public let item: Int

    /// A place.
    public init(section: Int, item: Int) {
        self.section = section
        self.item = item
    }

    /// By section, then by item.
    public static func < (left: ResultPosition, right: ResultPosition) -> Bool {
        (left.section, left.item) < (right.section, right.item)
    }
}
