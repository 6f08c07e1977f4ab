/// A fetch of objects of one entity.
///
/// ```swift
/// let request = try FetchRequest<Note>(
///     where: "title CONTAINS[cd] %@ AND ANY tags.name IN %@", "thread", ["craft", "shop"],
///     sortedBy: [.descending("created")], limit: 20)
/// let notes = try context.fetch(request)
/// ```
/// For an entity without a class of its own, give its name: `FetchRequest<ManagedObject>(entityName: "Note")`.
public struct FetchRequest<Object: ManagedObject>: Sendable {
    /// The entity's name; nil takes the entity of the class.
    public var entityName: String?
    /// The condition for the objects; nil selects all.
    public var predicate: FetchPredicate?
    /// The order of the objects. Objects equal in this order come in the order of creation.
    public var sortDescriptors: [FetchSortDescriptor]
    /// The largest number of objects; nil for no limit.
    public var limit: Int?
    /// The number of objects to skip first.
    public var offset: Int
    /// Whether unsaved changes count. If they do, new objects are found, and changed ones are tested and ordered by
    /// their present values. The same holds for objects that lead to changed ones by the key paths of predicate and
    /// order.
    public var includesPendingChanges = true
    /// Whether objects of subentities are found too.
    public var includesSubentities = true
    /// Relationships to load with the objects, as paths: `["tags", "folder.owner"]`. Each relationship takes one
    /// statement, for any number of objects; following it afterwards takes none. The context holds the loaded objects
    /// until its next fetch with such paths, or a reset.
    public var relationshipKeyPathsForPrefetching: [String] = []
    /// The number of objects that ``ManagedObjectContext/fetchBatches(_:)`` loads at a time.
    public var fetchBatchSize = 100
    /// The stores for the fetch, out of those of the coordinator; nil for all. A new object belongs to the store of its
    /// next save.
    public var affectedStores: [any PersistentStore]?

    /// Fetches all objects that satisfy `predicate`.
    public init(
        entityName: String? = nil, predicate: FetchPredicate? = nil,
        sortedBy sortDescriptors: [FetchSortDescriptor] = [],
        limit: Int? = nil, offset: Int = 0
    ) {
        self.entityName = entityName
        self.predicate = predicate
        self.sortDescriptors = sortDescriptors
        self.limit = limit
        self.offset = offset
    }

    /// Fetches all objects that satisfy a predicate in the format language; see ``FetchPredicate``.
    ///
    /// - Throws: ``BackstitchError/Code/invalidPredicate`` with a caret under the place if the format does not parse.
    public init(
        entityName: String? = nil, where format: String, _ arguments: (any PredicateArgument)?...,
        sortedBy sortDescriptors: [FetchSortDescriptor] = [], limit: Int? = nil, offset: Int = 0
    ) throws {
        self.init(
            entityName: entityName,
            predicate: try FetchPredicate(format: format, arguments: arguments.map { $0 ?? Value.null }),
            sortedBy: sortDescriptors, limit: limit, offset: offset)
    }
}
