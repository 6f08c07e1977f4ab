/// Entities with a common ancestor. Their rows are in one table, the root's, and have one layout. It has the columns of
/// all members, null in rows of entities without the column. One more column has the name of the row's entity.
public struct EntityFamily: Hashable, Sendable {
    /// The name of the entity without a parent; also the table's name.
    public let root: String
    /// The position of the root among the model's entities.
    package let rootIndex: Int
    /// The slot of the column for the name of a row's entity.
    package let slot: Int

    /// The name of that column. It cannot clash with a property: their names begin with a letter.
    package static let columnName = "_entity"
}

extension ResolvedEntity {
    /// The name of the table with the entity's rows.
    package var tableName: String { family?.root ?? name }

    /// Whether the entity is the root of its family, or belongs to no family.
    public var isRoot: Bool { family.map { $0.root == name } ?? true }

    /// Whether objects of this entity are objects of `other`: `other` is this entity or one above it.
    public func isKind(of other: ResolvedEntity) -> Bool { self === other || lineage.contains(other.name) }

    /// Whether the entity of this name is the entity itself or one below it.
    package func includes(_ name: String) -> Bool { self.name == name || subentityNames.contains(name) }

    /// Whether a fetch of this entity may find rows of other entities too.
    package var isMixed: Bool { !subentityNames.isEmpty }

    /// Whether an identity may belong to one of the entity's objects: it may name an entity below or above this one.
    package func isRelated(to id: ObjectID) -> Bool { includes(id.entityName) || lineage.contains(id.entityName) }

    /// The index for the links of its objects: one number for all entities of a family.
    var linkIndex: Int { family?.rootIndex ?? index }

    /// Whether an identity may name either entity: both are the same, or of one family.
    func isRelative(of other: ResolvedEntity) -> Bool { linkIndex == other.linkIndex }

    /// Whether its objects have the property of a slot: true for its own and inherited properties.
    package func owns(_ slot: Int) -> Bool { family == nil || ownSlots.contains(slot) }
}

extension RowBatch {
    /// The name of the entity of a row's object: the batch's entity, or one below it.
    public func entityName(at row: Int) -> String {
        guard let family = entity.family, !isNull(row, family.slot) else { return entity.name }
        return string(row, family.slot)
    }
}
