/// A dictionary fetch as stores get it: properties found, and the results described as if they were an entity.
///
/// A database carries it out with ``fetch``, ``columns``, ``groupBy`` and so on; a store without one fetches the rows
/// of ``fetch`` and has ``results(from:)`` do the rest.
public struct StoreDictionaryRequest: Sendable {
    /// The objects: entity and predicate.
    public let fetch: StoreFetchRequest
    /// The columns of each row.
    public let columns: [Column]
    /// By what objects are grouped.
    package let groupBy: [PlannedPath]
    /// Whether rows are of groups: there is something to group by, or an aggregate.
    public let isGrouped: Bool
    /// Whether equal rows come once.
    public let isDistinct: Bool
    /// An entity whose attributes are the columns, for ``having`` and ``sortDescriptors``.
    public let results: ResolvedEntity
    /// Which rows; resolved for ``results``.
    public let having: FetchPredicate?
    /// In which order; resolved for ``results``.
    public let sortDescriptors: [FetchSortDescriptor]
    /// How many rows at most; nil for all.
    public let limit: Int?
    /// How many rows to skip first.
    public let offset: Int

    /// A column of the results.
    public struct Column: Sendable {
        /// Its name.
        public let name: String
        /// The function that makes one value of many; nil for the values themselves.
        public let aggregate: FetchedProperty.Aggregate?
        /// The path of the values; nil to count objects.
        package let path: PlannedPath?
        /// The type of the results' values, as if the column were an attribute; UUIDs for objects.
        public let attribute: AttributeDescription
        /// The entity of the objects that the values are; nil for those of an attribute.
        public let destinationName: String?
    }
}

extension StoreDictionaryRequest.Column {
    /// The kind as which the values of the path are compared.
    package var pathKind: PlannedKind { path?.kind ?? .integer }
    /// The kind as which the results are compared.
    package var kind: PlannedKind { PlannedKind(attribute) }
}
