/// Entities with a common ancestor. Their rows live in one table, the root's, and have one layout: the columns of all
/// of them, each null in rows of entities that do not have it, and one that tells the row's entity.
public struct EntityFamily: Hashable, Sendable {
    /// Name of the entity without a parent; also the table.
    public let root: String
    /// Position of the root among the model's entities.
    package let rootIndex: Int
    /// The column that tells a row's entity, by name.
    package let slot: Int

    /// The name of that column. Names of properties begin with a letter.
    package static let columnName = "_entity"
}

extension ResolvedEntity {
    /// Name of the table that holds its rows.
    package var tableName: String { family?.root ?? name }

    /// Names of the entity and of those above it, itself first.
    public var isRoot: Bool { family.map { $0.root == name } ?? true }

    /// Whether objects of this entity are objects of `other`: it is the same, or one above.
    public func isKind(of other: ResolvedEntity) -> Bool { self === other || lineage.contains(other.name) }

    /// Whether objects of the entity of that name are objects of this one.
    package func includes(_ name: String) -> Bool { self.name == name || subentityNames.contains(name) }

    /// Whether rows of the entity may be of other entities too.
    package var isMixed: Bool { !subentityNames.isEmpty }

    /// Whether an identity may be one of the entity's objects: it may be called by an entity below, or by one above.
    package func isRelated(to id: ObjectID) -> Bool { includes(id.entityName) || lineage.contains(id.entityName) }

    /// Where links of its objects are noted, whichever of the family they are of.
    var linkIndex: Int { family?.rootIndex ?? index }

    /// Whether its objects have the property of that slot. All but the properties of relatives that are not above it.
    package func owns(_ slot: Int) -> Bool { family == nil || ownSlots.contains(slot) }
}

extension RowBatch {
    /// Name of the entity that a row's object is of: the batch's entity, or one below it.
    public func entityName(at row: Int) -> String {
        guard let family = entity.family, !isNull(row, family.slot) else { return entity.name }
        return string(row, family.slot)
    }
}
