import Foundation

/// A fetch as stores get it: entity and properties found, predicate checked against them and free of variables.
public struct StoreFetchRequest: Sendable {
    /// The entity whose rows are wanted.
    public var entity: ResolvedEntity
    /// Which rows; nil for all.
    public var predicate: FetchPredicate?
    /// In which order; rows that the descriptors leave equal come in the order of their keys.
    public var sortDescriptors: [FetchSortDescriptor]
    /// How many rows at most; nil for all.
    public var limit: Int?
    /// How many rows to skip first.
    public var offset: Int
    /// Whether rows of entities below ``entity`` are wanted too.
    public var includesSubentities = true
    /// The identifiers of the stores that are asked; nil for all. Seen by those who have several to ask.
    var affectedStores: Set<UUID>?

    /// A request for rows of `entity`.
    public init(
        entity: ResolvedEntity, predicate: FetchPredicate? = nil, sortDescriptors: [FetchSortDescriptor] = [],
        limit: Int? = nil, offset: Int = 0
    ) {
        self.entity = entity
        self.predicate = predicate
        self.sortDescriptors = sortDescriptors
        self.limit = limit
        self.offset = offset
    }

    /// Whether the rows may be of several entities.
    package var isMixed: Bool { includesSubentities && entity.isMixed }

    /// Whether objects of an entity are wanted.
    package func asks(for entity: ResolvedEntity) -> Bool {
        includesSubentities ? entity.isKind(of: self.entity) : entity === self.entity
    }

    /// Names of the entities whose rows are wanted; nil when the table holds no others.
    package var entityNames: [String]? {
        guard entity.family != nil else { return nil }
        guard includesSubentities else { return [entity.name] }
        return entity.isRoot ? nil : [entity.name] + entity.subentityNames
    }
}
