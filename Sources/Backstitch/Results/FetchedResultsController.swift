/// Keeps the results of a fetch in step with a context: for lists that follow what is edited, saved and synced.
///
/// ```swift
/// let controller = FetchedResultsController(
///     fetchRequest: FetchRequest<Note>(sortedBy: [.ascending("folder.name"), .ascending("title")]),
///     context: container.viewContext, sectionNameKeyPath: "folder.name")
/// try controller.performFetch()
/// for await snapshot in controller.snapshots { list.show(snapshot) }
/// ```
/// With a `cacheName`, a controller for the same request begins with what the last one found, as long as the stores
/// have not changed since: a list that is opened again then costs no statement.
///
/// After each change of the context (``ManagedObjectContext/processPendingChanges()``) every object of the entity that
/// was inserted, changed, deleted or merged is judged by the predicate, also one that was not in memory. So are all
/// that depend on a related object when a property of it changes, here or elsewhere, that a key path of the predicate,
/// the order or the sections names: `folder.name`, `tags.@count`, `ANY tags.name`.
///
/// - Complexity: a change of k objects costs O(k log n) comparisons and O(n) moves, and one statement when a changed
///   object is not in memory; with a limit or offset the fetch is repeated instead. It is repeated too when a related
///   object came or went, or changed in a property that a key path names; a change of another of its properties costs
///   nothing.
public final class FetchedResultsController<Object: ManagedObject> {
    /// The fetch. It needs at least one sort descriptor; with sections the first one must order by section.
    public let fetchRequest: FetchRequest<Object>
    /// The context.
    public let context: ManagedObjectContext
    /// The key path that names an object's section: an attribute, or one at the end of a path through to-one
    /// relationships; nil for one section.
    public let sectionNameKeyPath: String?
    /// Under which name results are kept for the next controller; nil to keep none.
    public let cacheName: String?
    /// The delegate that is told of each change, object by object.
    public weak var delegate: (any FetchedResultsControllerDelegate)?
    /// Why the last change could not be followed; nil when it could. The results are then as before it.
    public internal(set) var lastError: (any Error)?

    var order: ResultOrder<Object>?
    var rows: [ResultRow<Object>] = [] {
        didSet { keys = Set(rows.map(\.object.key)) }
    }
    private(set) var keys: Set<ObjectKey> = []
    /// How often it has fetched all of its results.
    package internal(set) var fetchCount = 0
    let snapshotBroadcast = Broadcast<ResultSnapshot>()
    let differenceBroadcast = Broadcast<ResultDifference>()

    /// A controller for a fetch in a context.
    ///
    /// - Parameter cacheName: One name for each list. The cache belongs to the coordinator and takes the identities,
    ///   sort values and section names of the results until the coordinator ends;
    ///   ``PersistentStoreCoordinator/deleteCache(withName:)`` lets go of it.
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

    /// Fetches, and follows the context from now on.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` without a sort descriptor, or where the first one does not
    ///   order by section; what the fetch throws.
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

    /// The results by section and identity, now.
    public var snapshot: ResultSnapshot { ResultSnapshot(rows, in: order) }

    /// The results now and after each change. A slow reader gets the newest.
    public var snapshots: AsyncStream<ResultSnapshot> {
        snapshotBroadcast.stream(startingWith: order == nil ? nil : snapshot, buffering: .bufferingNewest(1))
    }

    /// The changes of the results, one difference for each change, from now on.
    public var differences: AsyncStream<ResultDifference> { differenceBroadcast.stream() }

    /// The object at a place; nil where there is none.
    public func object(at position: ResultPosition) -> Object? {
        guard let id = snapshot.identity(at: position) else { return nil }
        return rows.first { $0.object.key == id.key }?.object
    }

    /// The place of an object; nil when it is not among the results.
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
