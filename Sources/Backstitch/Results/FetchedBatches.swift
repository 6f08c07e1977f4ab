/// The objects of a fetch, loaded page by page when they are needed. It is for long lists with few objects in use.
///
/// It keeps the identities of the objects at the time of the fetch (16 bytes each), and the last few pages. An object
/// that was deleted since then reads as empty (its ``ManagedObject/managedObjectContext`` is nil). It belongs to the
/// context's thread or actor.
public final class FetchedBatches<Object: ManagedObject>: RandomAccessCollection {
    private let context: ManagedObjectContext
    private let entity: ResolvedEntity
    private let keys: [ObjectKey]
    private let pageSize: Int
    private let relationships: [String]
    /// The pages in memory. The page used last is at the end.
    private var pages: [(number: Int, objects: [Object])] = []

    /// The number of pages to keep: enough to go back and forth around a boundary.
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

    /// Zero, the index of the first object.
    public var startIndex: Int { 0 }
    /// The number of objects.
    public var endIndex: Int { keys.count }
    /// The identities of all objects. It loads no object.
    public var objectIDs: [ObjectID] { keys.map { ObjectID(entityName: entity.name, key: $0) } }

    /// The object at an index. Its page is loaded if needed. If the store fails, the object reads as empty, and the
    /// context's next fetch, count or save throws the error; ``object(at:)`` throws it at once.
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
        // Held until the page is made, because the context holds no objects.
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
    /// Fetches the objects of a request in pages. A page of ``FetchRequest/fetchBatchSize`` objects is loaded when one
    /// of them is needed.
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
