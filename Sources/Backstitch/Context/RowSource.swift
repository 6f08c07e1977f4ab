/// Where a context reads: what lies below it, or a state of the store that it is pinned to.
protocol RowReading {
    func fetch(_ request: StoreFetchRequest) throws -> RowBatch
    func forEachBatch(_ request: StoreFetchRequest, size: Int, _ body: (RowBatch) throws -> Void) throws
    func fetchKeys(_ request: StoreFetchRequest) throws -> [ObjectKey]
    func count(_ request: StoreFetchRequest) throws -> Int
    /// Rows with these keys, in any order; possibly ones that were read before.
    func rows(of entity: ResolvedEntity, keys: [ObjectKey]) throws -> [RowSnapshot]
    /// The row with this key, if there is one; possibly one that was read before.
    func row(of entity: ResolvedEntity, key: ObjectKey) throws -> RowSnapshot?
    func related(by property: ResolvedProperty, of entity: ResolvedEntity, sources: [ObjectKey]) throws -> RelatedRows
}

extension RowReading {
    func row(of entity: ResolvedEntity, key: ObjectKey) throws -> RowSnapshot? {
        try rows(of: entity, keys: [key]).first
    }
}

/// The layer below a context: the coordinator, or a parent context.
protocol RowSource: RowReading {
    /// Rows with these keys as they are now.
    func currentRows(of entity: ResolvedEntity, keys: [ObjectKey]) throws -> RowBatch
    /// Takes over what a context saves.
    func save(_ plan: SavePlan, from context: ManagedObjectContext) throws
}

extension PersistentStoreCoordinator: RowSource {
    func fetch(_ request: StoreFetchRequest) throws -> RowBatch {
        try store(for: request)?.fetch(request) ?? RowBatchBuilder(entity: request.entity).finish()
    }

    func fetchKeys(_ request: StoreFetchRequest) throws -> [ObjectKey] {
        try store(for: request)?.fetchKeys(request) ?? []
    }

    func count(_ request: StoreFetchRequest) throws -> Int { try store(for: request)?.count(request) ?? 0 }

    func forEachBatch(_ request: StoreFetchRequest, size: Int, _ body: (RowBatch) throws -> Void) throws {
        try store(for: request)?.forEachBatch(request, size: size, body)
    }

    func rows(of entity: ResolvedEntity, keys: [ObjectKey]) throws -> [RowSnapshot] {
        try rows(of: entity, keys: keys, since: 0)
    }

    func row(of entity: ResolvedEntity, key: ObjectKey) throws -> RowSnapshot? {
        try row(of: entity, key: key, since: 0)
    }

    func currentRows(of entity: ResolvedEntity, keys: [ObjectKey]) throws -> RowBatch {
        try store.rows(of: entity, keys: keys)
    }

    func save(_ plan: SavePlan, from context: ManagedObjectContext) throws {
        try save(plan.request, changes: plan.changes, from: context.mailbox)
    }
}
