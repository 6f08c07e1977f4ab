/// A fetch of values instead of objects: single properties, and what is counted and summed over many objects.
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
/// `having` and the order go by the results' names. Without names to group by, aggregates are over all objects and give
/// one row. Aggregates pass over nil (`count()` of no key counts objects); of nothing but nil, or of no objects, all
/// but counts are nil. A number that is none (NaN) counts as nil.
public struct DictionaryFetchRequest: Sendable {
    /// The entity's name.
    public var entityName: String
    /// The values of each row; all attributes of the entity when it is empty.
    public var properties: [FetchedProperty]
    /// Which objects; nil for all.
    public var predicate: FetchPredicate?
    /// Key paths of attributes and to-one relationships: objects with equal values make one row.
    public var groupBy: [String]
    /// Which rows, by names of ``properties``; nil for all.
    public var having: FetchPredicate?
    /// In which order, by names of ``properties``. Rows that are left equal come in the order of creation, or grouped
    /// and distinct rows by their values.
    public var sortDescriptors: [FetchSortDescriptor]
    /// Whether equal rows come once.
    public var returnsDistinctResults: Bool
    /// How many rows at most; nil for all.
    public var limit: Int?
    /// How many rows to skip first.
    public var offset: Int
    /// Whether unsaved changes count. If so, and there are some of the entity, its objects are loaded and summed up in
    /// memory.
    public var includesPendingChanges = false
    /// Whether objects of entities below the request's count too.
    public var includesSubentities = true

    /// Values of the objects that `predicate` allows.
    public init(
        entityName: String, _ properties: [FetchedProperty] = [], where predicate: FetchPredicate? = nil,
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
