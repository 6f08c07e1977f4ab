import Foundation

/// A fetch in the form for stores: entity and properties are resolved, and the predicate is checked and has no
/// variables.
public struct StoreFetchRequest: Sendable {
    /// The entity of the rows to fetch.
    public var entity: ResolvedEntity
    /// The condition for the rows; nil selects all.
    public var predicate: FetchPredicate?
    /// The order of the rows; rows equal in this order come in the order of their keys.
    public var sortDescriptors: [FetchSortDescriptor]
    /// The largest number of rows; nil for no limit.
    public var limit: Int?
    /// The number of rows to skip first.
    public var offset: Int
    /// Whether rows of subentities are fetched too.
    public var includesSubentities = true
    /// The identifiers of the stores for the fetch; nil for all. Only a layer over several stores reads it.
    var affectedStores: Set<UUID>?

    /// Makes a request for rows of `entity`.
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

    /// Whether the result may have rows of several entities.
    package var isMixed: Bool { includesSubentities && entity.isMixed }

    /// Whether the request covers objects of an entity.
    package func asks(for entity: ResolvedEntity) -> Bool {
        includesSubentities ? entity.isKind(of: self.entity) : entity === self.entity
    }

    /// Names of the entities to fetch; nil if the whole table is meant.
    package var entityNames: [String]? {
        guard entity.family != nil else { return nil }
        guard includesSubentities else { return [entity.name] }
        return entity.isRoot ? nil : [entity.name] + entity.subentityNames
    }
}
