/// Keeps the results of a fetch in step with a context, for lists that follow edits, saves and sync.
///
/// ```swift
/// let controller = FetchedResultsController(
///     fetchRequest: FetchRequest<Note>(sortedBy: [.ascending("folder.name"), .ascending("title")]),
///     context: container.viewContext, sectionNameKeyPath: "folder.name")
/// try controller.performFetch()
/// for await snapshot in controller.snapshots { list.show(snapshot) }
/// ```
/// With a `cacheName`, a controller for the same request begins with the results of the last one, if the stores have
/// not changed since. A list that is opened again then costs no statement.
///
/// After each change of the context (``ManagedObjectContext/processPendingChanges()``), the predicate is evaluated for
/// every object of the entity that was inserted, changed, deleted or merged. This includes objects that were not in
/// memory.
///
/// A change of a related object counts too, here or elsewhere, if a key path of the predicate, the order or the
/// sections names the changed property: `folder.name`, `tags.@count`, `ANY tags.name`.
///
/// - Complexity: A change of k objects costs O(k log n) comparisons and O(n) moves, and one statement when a changed
///   object is not in memory. With a limit, an offset or affected stores, the fetch is repeated instead. It is also
///   repeated when a related object was inserted or deleted, or changed in a property that a key path names. A change
///   of its other properties costs nothing.
public final class FetchedResultsController<Object: ManagedObject> {
    /// The fetch. It needs at least one sort descriptor. With sections, the first one must order by section.
    public let fetchRequest: FetchRequest<Object>
    /// The context whose changes it follows.
    public let context: ManagedObjectContext
    /// The key path to the name of an object's section: an attribute, or one at the end of a path through to-one
    /// relationships; nil for one section.
    public let sectionNameKeyPath: String?
    /// The name of the cache for the next controller's results; nil to keep none.
    public let cacheName: String?
    /// The delegate. It is told of each change, object by object.
    public weak var delegate: (any FetchedResultsControllerDelegate)?
    /// The error that kept the last change from being followed; nil if there was none. The results are then as before
    /// the change.
    public internal(set) var lastError: (any Error)?

    var order: ResultOrder<Object>?
    var rows: [ResultRow<Object>] = [] {
        didSet { keys = Set(rows.map(\.object.key)) }
    }
    private(set) var keys: Set<ObjectKey> = []
    /// The number of times it has fetched all of its results.
    package internal(set) var fetchCount = 0
    let snapshotBroadcast = Broadcast<ResultSnapshot>()
    let differenceBroadcast = Broadcast<ResultDifference>()

    /// Creates a controller for a fetch in a context.
    ///
    /// - Parameter cacheName: One name for each list. The cache belongs to the coordinator. It keeps the identities,
    ///   sort values and section names of the results until the coordinator ends, or until
    ///   ``PersistentStoreCoordinator/deleteCache(withName:)`` drops them.
    public init(
        fetchRequest: FetchRequest<Object>, context: ManagedObjectContext, sectionNameKeyPath: String? = nil,
        cacheName: String? = nil
    ) {
        self.fetchRequest = fetchRequest
        self.context = context
        self.sectionNameKeyPath = sectionNameKeyPath
        self.cacheName = cacheName
    }

    deinit { context.notifier.remove(ObjectIdentifier(self)) }

    /// Fetches the results, and follows the context from now on.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` without a sort descriptor, or if the first one does not order
    ///   by section; errors of the fetch.
    public func performFetch() throws {
        let order = try ResultOrder<Object>(fetchRequest, sectionNameKeyPath: sectionNameKeyPath, in: context)
        if !order.paths.isEmpty { context.trackProperties() }
        rows = try cachedRows(order) ?? fetchedRows(order)
        self.order = order
        context.notifier.add(self)
        snapshotBroadcast.yield(snapshot)
    }

    /// All results, in order; empty before ``performFetch()``.
    public var fetchedObjects: [Object] { rows.map(\.object) }

    /// The present results, by section and identity.
    public var snapshot: ResultSnapshot { ResultSnapshot(rows, in: order) }

    /// The present results, and the results after each change. A slow reader gets the newest.
    public var snapshots: AsyncStream<ResultSnapshot> {
        snapshotBroadcast.stream(startingWith: order == nil ? nil : snapshot, buffering: .bufferingNewest(1))
    }

    /// The changes of the results, one difference for each change, from now on.
    public var differences: AsyncStream<ResultDifference> { differenceBroadcast.stream() }

    /// Returns the object at a place; nil if there is none.
    public func object(at position: ResultPosition) -> Object? {
        guard let id = snapshot.identity(at: position) else { return nil }
        return rows.first { $0.object.key == id.key }?.object
    }

    /// Returns the place of an object; nil when it is not among the results.
    public func position(of object: Object) -> ResultPosition? { snapshot.position(of: object.objectID) }
}

extension FetchedResultsController: ContextObserver {
    func contextDidChange(_ changes: ContextChanges) {
        guard let order else { return }
        do {
            guard let next = try ResultUpdate(changes, self, order).rows() else { return }
            lastError = nil
            publish(from: rows, to: next, order, touched: changes)
        } catch {
            lastError = error
        }
    }

    private static func moved(
        _ old: [ResultRow<Object>], _ new: [ResultRow<Object>], _ order: ResultOrder<Object>
    ) -> Set<ObjectKey> {
        let places = Dictionary(uniqueKeysWithValues: old.map { ($0.object.key, $0) })
        return Set(
            new.filter { row in places[row.object.key].map { !order.isSamePlace($0, row) } ?? false }
                .map(\.object.key))
    }

    private func publish(
        from old: [ResultRow<Object>], to new: [ResultRow<Object>], _ order: ResultOrder<Object>,
        touched: ContextChanges
    ) {
        let touchedKeys = Set(touched.updated.union(touched.refreshed).map(\.key))
            .union(touched.unregistered.updated.map(\.key))
        let difference = ResultDifference(
            from: ResultSnapshot(old, in: order), to: ResultSnapshot(new, in: order), touched: touchedKeys,
            moved: Self.moved(old, new, order))
        guard !difference.isEmpty else {
            rows = new
            return
        }
        delegate?.controllerWillChangeContent()
        rows = new
        for change in difference.sections { delegate?.controllerDidChange(section: change) }
        for change in difference.objects { delegate?.controllerDidChange(object: change) }
        delegate?.controllerDidChangeContent(difference.after)
        snapshotBroadcast.yield(difference.after)
        differenceBroadcast.yield(difference)
    }
}
