/// The coordinator as the layer below a context: the store, and the rows that contexts share.
struct CoordinatorSource: RowSource, ReadingLayer {
    private let coordinator: PersistentStoreCoordinator
    /// Rows that were read before this moment are not used; 0 to use all. See ``RowCache/rows(of:for:since:)``.
    private let moment: Int

    /// Creates a source for a context that begins now.
    ///
    /// - Parameter isFresh: Whether rows that were read before the context began are left out. The context then sees no
    ///   row older than itself, and still reads no row twice.
    init(_ coordinator: PersistentStoreCoordinator, isFresh: Bool) {
        self.coordinator = coordinator
        moment = isFresh ? coordinator.cache.begin() : 0
    }

    var readingBase: any StoreReading { coordinator.store }

    func readingBase(for request: StoreFetchRequest) -> (any StoreReading)? { coordinator.store(for: request) }

    func snapshots(of entity: ResolvedEntity, keys: [ObjectKey]) throws -> [RowSnapshot] {
        try coordinator.rows(of: entity, keys: keys, since: moment)
    }

    func snapshot(of entity: ResolvedEntity, key: ObjectKey) throws -> RowSnapshot? {
        try coordinator.row(of: entity, key: key, since: moment)
    }

    func related(
        by property: ResolvedProperty, of entity: ResolvedEntity, sources: [ObjectKey]
    ) throws -> RelatedRows {
        try coordinator.related(by: property, of: entity, sources: sources)
    }

    func save(_ plan: SavePlan, from context: ManagedObjectContext) throws {
        try coordinator.save(plan.request, changes: plan.changes, from: context.mailbox)
    }
}

extension PersistentStoreCoordinator {
    /// The source of reads for a new context. If others write to a store, the source is a fresh one.
    var sourceOfContexts: any RowSource {
        let isShared = stores.contains { $0.isWrittenByOthers || $0.journal?.isWrittenByOthers == true }
        return CoordinatorSource(self, isFresh: isShared)
    }
}
