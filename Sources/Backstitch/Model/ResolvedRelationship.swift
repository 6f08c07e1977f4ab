/// A relationship with its ends found and the place of its links decided.
public struct ResolvedRelationship: Sendable {
    /// Where the links of a relationship are kept. Each pair of inverses keeps them once.
    public enum Storage: Sendable, Hashable {
        /// In a column of this entity's rows.
        case column
        /// In a column of the destination's rows: the inverse's.
        case inverseColumn
        /// In a link table that this side owns, as its source. The owner's record carries the links on the wire.
        case ownedLinks
        /// In a link table that the inverse owns; this side is its target.
        case inverseLinks
    }

    /// The relationship as the model describes it.
    public let description: RelationshipDescription
    /// Position of the destination among the model's entities.
    public let destinationIndex: Int
    /// Position of the root of the destination's family; the destination's own when it has none.
    let destinationRootIndex: Int
    /// Slot of the inverse in the destination.
    public let inverseSlot: Int
    /// Where the links are kept.
    public let storage: Storage
    /// The column that keeps the order of an ordered relationship: of the destination's rows, their rank, where
    /// ``storage`` is ``Storage/inverseColumn``; else of this entity's rows, the keys in order.
    public let orderSlot: Int?
    /// Whether it leads to any number of objects.
    public var isToMany: Bool { description.isToMany }
    /// Whether to-one relationships that are columns, this one first, may lead from an object back to itself.
    let mayLeadBack: Bool
}
