/// A relationship with resolved ends and a decided place for its links.
public struct ResolvedRelationship: Sendable {
    /// The place of a relationship's links. Each pair of inverses keeps its links once.
    public enum Storage: Sendable, Hashable {
        /// In a column of this entity's rows.
        case column
        /// In a column of the destination's rows, the inverse's column.
        case inverseColumn
        /// In a link table owned by this side, as its source. The owner's record carries the links on the wire.
        case ownedLinks
        /// In a link table owned by the inverse; this side is its target.
        case inverseLinks
    }

    /// The relationship as the model describes it.
    public let description: RelationshipDescription
    /// The position of the destination among the model's entities.
    public let destinationIndex: Int
    /// The position of the root of the destination's family; the destination's own position if it has no family.
    let destinationRootIndex: Int
    /// The inverse's slot in the destination.
    public let inverseSlot: Int
    /// The place of the relationship's links.
    public let storage: Storage
    /// The column with the order of an ordered relationship. If ``storage`` is ``Storage/inverseColumn``, it is in the
    /// destination's rows and holds their rank. Otherwise it is in this entity's rows and holds the keys in order.
    public let orderSlot: Int?
    /// Whether it leads to any number of objects.
    public var isToMany: Bool { description.isToMany }
    /// Whether to-one relationships with columns, this one first, may lead from an object back to itself.
    let mayLeadBack: Bool
}
