/// Works out a controller's results after a change of its context.
struct ResultUpdate<Object: ManagedObject> {
    private let changes: ContextChanges
    private let controller: FetchedResultsController<Object>
    private let order: ResultOrder<Object>

    init(_ changes: ContextChanges, _ controller: FetchedResultsController<Object>, _ order: ResultOrder<Object>) {
        self.changes = changes
        self.controller = controller
        self.order = order
    }

    /// The new results in order; nil when the change does not concern them.
    func rows() throws -> [ResultRow<Object>]? {
        let live = changes.inserted.union(changes.updated).union(changes.refreshed).filter {
            $0.entity.isKind(of: order.entity)
        }
        let gone = Set(changes.deleted.filter { $0.entity.isKind(of: order.entity) }.map(\.key))
            .union(changes.unregistered.deleted.filter { order.entity.includes($0.entityName) }.map(\.key))
        let unread = (changes.unregistered.inserted + changes.unregistered.updated)
            .filter { order.entity.includes($0.entityName) }
        guard !live.isEmpty || !gone.isEmpty || !unread.isEmpty else { return nil }

        let request = controller.fetchRequest
        guard request.limit == nil, request.offset == 0 else {
            return try order.rows(of: controller.context.fetch(request))
        }
        let candidates = Array(live) + (try controller.context.existing(unread.map(\.key), of: order.entity))
        let arriving = try candidates.filter { !gone.contains($0.key) }.compactMap(row)
        let affected = gone.union(candidates.map(\.key))
        // Most changes concern few of the controllers that are told of them.
        guard !arriving.isEmpty || !controller.keys.isDisjoint(with: affected) else { return nil }
        var rows = controller.rows.filter { !affected.contains($0.object.key) }
        for row in arriving { rows.insert(row, at: order.insertionIndex(of: row, in: rows)) }
        return rows
    }

    /// The row of an object that is among the results now.
    private func row(_ candidate: ManagedObject) throws -> ResultRow<Object>? {
        guard !candidate.isDeleted, try order.predicate?.evaluate(candidate) ?? true, !candidate.isDeleted,
            let object = candidate as? Object
        else { return nil }
        return try order.row(object)
    }
}
