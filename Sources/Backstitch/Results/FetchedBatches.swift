/// The objects of a fetch, loaded page by page as they are asked for: for long lists of which little is looked at.
///
/// It keeps the identity of each object (16 bytes), which are those of the time of the fetch, and the last few pages.
/// An object that was deleted since then reads as empty (its ``ManagedObject/managedObjectContext`` is nil). It belongs
/// to the context's thread or actor.
public final class FetchedBatches<Object: ManagedObject>: RandomAccessCollection {
    private let context: ManagedObjectContext
    private let entity: ResolvedEntity
    private let keys: [ObjectKey]
    private let pageSize: Int
    private let relationships: [String]
    /// The pages in memory, the one used last at the end.
    private var pages: [(number: Int, objects: [Object])] = []

    /// How many pages are kept: enough to go back and forth around a boundary.
    private static var maximumPages: Int { 3 }

    init(
        _ context: ManagedObjectContext, _ entity: ResolvedEntity, _ keys: [ObjectKey], pageSize: Int,
        relationships: [String]
    ) {
        self.context = context
        self.entity = entity
        self.keys = keys
        self.pageSize = pageSize
        self.relationships = relationships
    }

    /// Zero.
    public var startIndex: Int { 0 }
    /// How many objects there are.
    public var endIndex: Int { keys.count }
    /// The identities of all objects; loads none.
    public var objectIDs: [ObjectID] { keys.map { ObjectID(entityName: entity.name, key: $0) } }

    /// The object at an index; its page is loaded if it is not. An error of the store is thrown by the context's next
    /// fetch, count or save, and the object then reads as empty; ``object(at:)`` throws at once.
    ///
    /// - Complexity: O(1), or one statement for a page.
    public subscript(index: Int) -> Object {
        context.reporting(nil) { try object(at: index) } ?? unloaded(index)
    }

    /// The object at an index.
    ///
    /// - Throws: The error of the store.
    /// - Precondition: `index` is one of ``Swift/Collection/indices``.
    public func object(at index: Int) throws -> Object {
        let number = index / pageSize
        if let position = pages.lastIndex(where: { $0.number == number }) {
            pages.append(pages.remove(at: position))
        } else {
            pages.append((number, try load(number)))
            if pages.count > Self.maximumPages { pages.removeFirst() }
        }
        return pages[pages.count - 1].objects[index - number * pageSize]
    }

    private func load(_ number: Int) throws -> [Object] {
        let part = Array(keys[(number * pageSize)..<Swift.min((number + 1) * pageSize, keys.count)])
        // Held until the page is made: the context holds no objects.
        let loaded = try context.existing(part, of: entity)
        try context.prefetch(relationships, of: loaded, entity)
        return try withExtendedLifetime(loaded) {
            try part.map { try context.cast(context.object(with: ObjectID(entityName: entity.name, key: $0))) }
        }
    }

    /// An object for an index whose page could not be loaded.
    private func unloaded(_ index: Int) -> Object {
        let seed = ObjectInitializer(
            entity: entity, key: keys[index], context: context, snapshot: nil, state: .vanished)
        return Object(seed)
    }
}

@available(*, unavailable)
extension FetchedBatches: Sendable {}

extension ManagedObjectContext {
    /// The objects that a request asks for, to be loaded ``FetchRequest/fetchBatchSize`` at a time when they are looked
    /// at.
    ///
    /// ```swift
    /// let notes = try context.fetchBatches(FetchRequest<Note>(sortedBy: [.ascending("title")]))
    /// print(notes.count, notes[500].title)      // one statement for the identities, one for a page
    /// ```
    /// - Throws: As ``fetch(_:)-(FetchRequest<Object>)``.
    /// - Complexity: One statement; O(results) of 16 bytes each.
    public func fetchBatches<Object: ManagedObject>(_ request: FetchRequest<Object>) throws -> FetchedBatches<Object> {
        guard request.fetchBatchSize > 0 else {
            throw BackstitchError(
                .invalidRequest, "a fetch's fetchBatchSize cannot be \(request.fetchBatchSize)", key: "fetchBatchSize")
        }
        let keys = try fetchObjectIDs(request).map(\.key)
        return FetchedBatches(
            self, try resolve(request).entity, keys, pageSize: request.fetchBatchSize,
            relationships: request.relationshipKeyPathsForPrefetching)
    }
}
