/// Computes a controller's results after a change of its context.
struct ResultUpdate<Object: ManagedObject> {
    private let changes: ContextChanges
    private let controller: FetchedResultsController<Object>
    private let order: ResultOrder<Object>

    init(_ changes: ContextChanges, _ controller: FetchedResultsController<Object>, _ order: ResultOrder<Object>) {
        self.changes = changes
        self.controller = controller
        self.order = order
    }

    /// Returns the new results in order; nil when the change does not concern them.
    func rows() throws -> [ResultRow<Object>]? {
        if order.paths.isTouched(by: changes.touched) { return try fetchedRows() }
        let request = order.request
        let live = changes.inserted.union(changes.updated).union(changes.refreshed).filter {
            request.asks(for: $0.entity)
        }
        let gone = Set(changes.deleted.filter { request.asks(for: $0.entity) }.map(\.key))
            .union(changes.unregistered.deleted.filter(isAskedFor).map(\.key))
        let unread = (changes.unregistered.inserted + changes.unregistered.updated).filter(isAskedFor)
        guard !live.isEmpty || !gone.isEmpty || !unread.isEmpty else { return nil }

        guard request.limit == nil, request.offset == 0, request.affectedStores == nil else { return try fetchedRows() }
        let arrived = try controller.context.existing(unread.map(\.key), of: request.entity)
        // An object may have changed elsewhere before it was loaded, and here since then.
        let candidates = Array(live) + arrived.filter { request.asks(for: $0.entity) && !live.contains($0) }
        // A deleted object may be back, so each object is evaluated as it is now.
        let arriving = try candidates.compactMap(row)
        let affected = gone.union(candidates.map(\.key))
        // Most changes concern few of the controllers, although all are told of them.
        guard !arriving.isEmpty || !controller.keys.isDisjoint(with: affected) else { return nil }
        var rows = controller.rows.filter { !affected.contains($0.object.key) }
        for row in arriving { rows.insert(row, at: order.insertionIndex(of: row, in: rows)) }
        return rows
    }

    /// Returns the results of a new fetch. An error that waits to be thrown is left to the program's next fetch.
    private func fetchedRows() throws -> [ResultRow<Object>] {
        let context = controller.context
        try context.requireOpen()
        controller.fetchCount += 1
        return try order.rows(of: context.results(of: controller.fetchRequest, order.request), in: context)
    }

    private func isAskedFor(_ id: ObjectID) -> Bool {
        order.request.includesSubentities
            ? order.request.entity.includes(id.entityName) : order.request.entity.name == id.entityName
    }

    /// Returns the row of an object that is among the results now.
    private func row(_ candidate: ManagedObject) throws -> ResultRow<Object>? {
        guard !candidate.isGone, try order.predicate?.evaluate(candidate) ?? true, let object = candidate as? Object
        else { return nil }
        let row = try order.row(object)
        // An object may be found to be gone only when it is read, before its deletion is reported.
        return candidate.isGone ? nil : row
    }
}
