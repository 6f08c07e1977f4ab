/// The source of a context whose store others write to: the coordinator, without rows that were read before the context
/// began.
///
/// So a context sees no row that is older than itself, and yet reads none twice.
struct UncachedRowSource: RowSource {
    private let coordinator: PersistentStoreCoordinator
    private let moment: Int

    init(_ coordinator: PersistentStoreCoordinator) {
        self.coordinator = coordinator
        moment = coordinator.cache.begin()
    }

    func rows(of entity: ResolvedEntity, keys: [ObjectKey]) throws -> [RowSnapshot] {
        try coordinator.rows(of: entity, keys: keys, since: moment)
    }

    func row(of entity: ResolvedEntity, key: ObjectKey) throws -> RowSnapshot? {
        try coordinator.row(of: entity, key: key, since: moment)
    }

    func fetch(_ request: StoreFetchRequest) throws -> RowBatch { try coordinator.fetch(request) }

    func forEachBatch(_ request: StoreFetchRequest, size: Int, _ body: (RowBatch) throws -> Void) throws {
        try coordinator.forEachBatch(request, size: size, body)
    }

    func fetchKeys(_ request: StoreFetchRequest) throws -> [ObjectKey] { try coordinator.fetchKeys(request) }

    func count(_ request: StoreFetchRequest) throws -> Int { try coordinator.count(request) }

    func related(
        by property: ResolvedProperty, of entity: ResolvedEntity, sources: [ObjectKey]
    ) throws -> RelatedRows {
        try coordinator.related(by: property, of: entity, sources: sources)
    }

    func currentRows(of entity: ResolvedEntity, keys: [ObjectKey]) throws -> RowBatch {
        try coordinator.currentRows(of: entity, keys: keys)
    }

    func save(_ plan: SavePlan, from context: ManagedObjectContext) throws {
        try coordinator.save(plan, from: context)
    }
}

extension PersistentStoreCoordinator {
    /// The source that a new context reads from.
    var sourceOfContexts: any RowSource {
        let isShared = stores.contains { $0.isWrittenByOthers || $0.journal?.isWrittenByOthers == true }
        return isShared ? UncachedRowSource(self) : self
    }
}
