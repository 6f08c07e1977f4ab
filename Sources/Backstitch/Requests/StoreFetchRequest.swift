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
}
