/// A dictionary fetch in the form for stores: its properties are resolved, and its results are described like an
/// entity.
///
/// A database executes it by ``fetch``, ``columns``, ``groupBy`` and so on. Any other store fetches the rows of
/// ``fetch`` and passes them to ``results(from:)``.
public struct StoreDictionaryRequest: Sendable {
    /// The fetch of the objects: entity and predicate.
    public let fetch: StoreFetchRequest
    /// The columns of each row.
    public let columns: [Column]
    /// The paths for the grouping of objects.
    package let groupBy: [PlannedPath]
    /// Whether rows are groups: there is a path to group by, or an aggregate.
    public let isGrouped: Bool
    /// Whether equal rows are returned only once.
    public let isDistinct: Bool
    /// An entity with the columns as attributes, for ``having`` and ``sortDescriptors``.
    public let results: ResolvedEntity
    /// The condition for the rows; resolved for ``results``.
    public let having: FetchPredicate?
    /// The order of the rows; resolved for ``results``.
    public let sortDescriptors: [FetchSortDescriptor]
    /// The largest number of rows; nil for no limit.
    public let limit: Int?
    /// The number of rows to skip first.
    public let offset: Int

    /// A column of the results.
    public struct Column: Sendable {
        /// The name of the column.
        public let name: String
        /// The aggregate over many values; nil for the values themselves.
        public let aggregate: DictionaryColumn.Aggregate?
        /// The path of the values; nil to count objects.
        package let path: PlannedPath?
        /// The type of the results, described as an attribute; UUIDs for objects.
        public let attribute: AttributeDescription
        /// The entity of the objects in this column; nil for values of an attribute.
        public let destinationName: String?
    }
}

extension StoreDictionaryRequest.Column {
    /// The kind of the path's values in comparisons.
    package var pathKind: PlannedKind { path?.kind ?? .integer }
    /// The kind of the results in comparisons.
    package var kind: PlannedKind { PlannedKind(attribute) }
}
