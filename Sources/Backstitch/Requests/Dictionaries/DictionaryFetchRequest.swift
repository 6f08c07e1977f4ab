/// A fetch of values instead of objects: single properties, and aggregates such as counts and sums over many objects.
///
/// ```swift
/// let request = DictionaryFetchRequest(
///     entityName: "Order", [.key("customer.name", as: "name"), .count(as: "orders"), .sum("amount", as: "total")],
///     where: try FetchPredicate(format: "year == 2026"), groupBy: ["customer.name"],
///     having: try FetchPredicate(format: "total > 100"), sortedBy: [.descending("total")], limit: 10)
/// for row in try context.fetch(request) {
///     print(row["name"], row.decimal("total") ?? 0)
/// }
/// ```
/// `having` and the order use the names of the results. Without `groupBy`, aggregates cover all objects and give one
/// row. Aggregates ignore nil (`count()` without a key counts objects). If there are no values, every aggregate except
/// counts is nil. NaN counts as nil.
public struct DictionaryFetchRequest: Sendable {
    /// The name of the objects' entity.
    public var entityName: String
    /// The values of each row; if it is empty, all attributes of the entity.
    public var properties: [DictionaryColumn]
    /// The condition for the objects; nil selects all.
    public var predicate: FetchPredicate?
    /// Key paths of attributes and to-one relationships: objects with equal values make one row.
    public var groupBy: [String]
    /// The condition for the rows, by names of ``properties``; nil selects all.
    public var having: FetchPredicate?
    /// The order of the rows, by names of ``properties``. Rows equal in this order come in the order of creation;
    /// grouped and distinct rows come in the order of their values.
    public var sortDescriptors: [FetchSortDescriptor]
    /// Whether equal rows are returned only once.
    public var returnsDistinctResults: Bool
    /// The largest number of rows; nil for no limit.
    public var limit: Int?
    /// The number of rows to skip first.
    public var offset: Int
    /// Whether unsaved changes count. If they do, and the entity has some, its objects are loaded and evaluated in
    /// memory.
    public var includesPendingChanges = false
    /// Whether objects of subentities count too.
    public var includesSubentities = true

    /// Fetches values of the objects that satisfy `predicate`.
    public init(
        entityName: String, _ properties: [DictionaryColumn] = [], where predicate: FetchPredicate? = nil,
        groupBy: [String] = [], having: FetchPredicate? = nil, sortedBy sortDescriptors: [FetchSortDescriptor] = [],
        returnsDistinctResults: Bool = false, limit: Int? = nil, offset: Int = 0
    ) {
        self.entityName = entityName
        self.properties = properties
        self.predicate = predicate
        self.groupBy = groupBy
        self.having = having
        self.sortDescriptors = sortDescriptors
        self.returnsDistinctResults = returnsDistinctResults
        self.limit = limit
        self.offset = offset
    }
}
