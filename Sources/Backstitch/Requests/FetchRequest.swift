/// A fetch of objects.
///
/// ```swift
/// let request = try FetchRequest<Note>(
///     where: "title CONTAINS[cd] %@ AND ANY tags.name IN %@", "thread", ["craft", "shop"],
///     sortedBy: [.descending("created")], limit: 20)
/// let notes = try context.fetch(request)
/// ```
/// Without a class of its own, name the entity: `FetchRequest<ManagedObject>(entityName: "Note")`.
public struct FetchRequest<Object: ManagedObject>: Sendable {
    /// The entity's name; nil to go by the class.
    public var entityName: String?
    /// Which objects; nil for all.
    public var predicate: FetchPredicate?
    /// In which order. Objects that the descriptors leave equal come in the order of creation.
    public var sortDescriptors: [FetchSortDescriptor]
    /// How many objects at most; nil for all.
    public var limit: Int?
    /// How many objects to skip first.
    public var offset: Int
    /// Whether unsaved changes count: new objects are found, and changed ones are judged and ordered by their present
    /// values, and so are those that lead to changed ones by the key paths of predicate and order.
    public var includesPendingChanges = true
    /// Whether objects of entities below the request's are found too.
    public var includesSubentities = true
    /// Relationships to load along, as paths: `["tags", "folder.owner"]`. One statement for each relationship, however
    /// many objects are found; afterwards they cost none. The context holds what was loaded along until its next fetch
    /// that loads some, or a reset.
    public var relationshipKeyPathsForPrefetching: [String] = []
    /// How many objects ``ManagedObjectContext/fetchBatches(_:)`` loads at a time.
    public var fetchBatchSize = 100
    /// The stores that are asked, of those of the coordinator; nil for all. A new object counts for the store that it
    /// will be saved into.
    public var affectedStores: [any PersistentStore]?

    /// All objects that `predicate` allows.
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

    /// All objects that a predicate in the format language allows; see ``FetchPredicate``.
    ///
    /// - Throws: ``BackstitchError/Code/invalidPredicate`` with a caret under the place when the format does not parse.
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
