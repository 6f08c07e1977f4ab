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

/// A value of each row of a ``DictionaryFetchRequest``, with its name.
public struct FetchedProperty: Sendable, Hashable {
    /// The function that makes one value of the values of many objects.
    public enum Aggregate: String, Sendable, Hashable, CaseIterable {
        /// How many there are.
        case count
        /// How many different ones there are.
        case countDistinct
        /// Their sum, exact for integers and decimals.
        case sum
        /// The smallest.
        case min
        /// The largest.
        case max
        /// Their mean: a double for integers and doubles; for decimals a decimal, rounded to 20 digits after the point.
        case average
    }

    /// Its name in the rows.
    public let name: String
    /// The key path of an attribute or to-one relationship, through to-one relationships; nil to count objects.
    public let keyPath: String?
    /// The function that makes one value over many objects; nil for the value itself.
    public let aggregate: Aggregate?

    /// The value at the end of a key path, under that path or another name.
    public static func key(_ keyPath: String, as name: String? = nil) -> FetchedProperty {
        FetchedProperty(name: name ?? keyPath, keyPath: keyPath, aggregate: nil)
    }

    /// The number of objects.
    public static func count(as name: String = "count") -> FetchedProperty {
        FetchedProperty(name: name, keyPath: nil, aggregate: .count)
    }

    /// An aggregate over the values at the end of a key path, under a name such as `sum of amount` unless another is
    /// given.
    public static func aggregate(_ aggregate: Aggregate, _ keyPath: String, as name: String? = nil) -> FetchedProperty {
        FetchedProperty(name: name ?? "\(aggregate.rawValue) of \(keyPath)", keyPath: keyPath, aggregate: aggregate)
    }

    /// How many objects have a value.
    public static func count(_ keyPath: String, as name: String? = nil) -> FetchedProperty {
        aggregate(.count, keyPath, as: name)
    }

    /// The sum of the values.
    public static func sum(_ keyPath: String, as name: String? = nil) -> FetchedProperty {
        aggregate(.sum, keyPath, as: name)
    }

    /// The smallest value.
    public static func min(_ keyPath: String, as name: String? = nil) -> FetchedProperty {
        aggregate(.min, keyPath, as: name)
    }

    /// The largest value.
    public static func max(_ keyPath: String, as name: String? = nil) -> FetchedProperty {
        aggregate(.max, keyPath, as: name)
    }

    /// The mean of the values.
    public static func average(_ keyPath: String, as name: String? = nil) -> FetchedProperty {
        aggregate(.average, keyPath, as: name)
    }
}
