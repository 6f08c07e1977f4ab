extension ManagedObjectContext {
    /// Fetches the objects that a request asks for.
    ///
    /// An object in the context keeps its values: the store only decides whether it is found.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` and ``BackstitchError/Code/invalidPredicate`` when the request
    ///   does not fit the model; errors of the store.
    /// - Complexity: One statement. Without unsaved changes it is O(results). With unsaved changes, changed objects of
    ///   the entity are evaluated in memory as well. So are objects that lead to changed ones by the key paths of
    ///   predicate and order. This takes one statement more for each relationship of these paths.
    public func fetch<Object: ManagedObject>(_ request: FetchRequest<Object>) throws -> [Object] {
        try prepareRequest()
        return try results(of: request, try resolve(request))
    }

    /// Fetches the objects of a resolved request, and prefetches their relationships as the request says.
    func results<Object: ManagedObject>(
        of request: FetchRequest<Object>, _ resolved: StoreFetchRequest
    ) throws -> [Object] {
        let objects = try objects(for: resolved, includesPendingChanges: request.includesPendingChanges)
        try prefetch(request.relationshipKeyPathsForPrefetching, of: objects, resolved.entity)
        return try typed(objects)
    }

    private func typed<Object: ManagedObject>(_ objects: [ManagedObject]) throws -> [Object] {
        if Object.self == ManagedObject.self { return objects as? [Object] ?? [] }
        guard objects.allSatisfy({ type(of: $0) == Object.self }) else { return try objects.map { try cast($0) } }
        // All objects have exactly this class, so the array can be reinterpreted without a copy. An array of objects is
        // a reference to a buffer of references, for every class. To check the class of each object and copy it costs
        // as much as to make it.
        return unsafeBitCast(objects, to: [Object].self)
    }

    /// Fetches the objects of a resolved request, with or without unsaved changes.
    func objects(for request: StoreFetchRequest, includesPendingChanges: Bool = true) throws -> [ManagedObject] {
        if includesPendingChanges {
            let pending = try PendingObjects(of: request, in: self)
            if !pending.isEmpty { return try pending.fetch(request) }
        }
        return objects(for: try reading().fetch(request))
    }

    /// Counts the objects that a request would fetch.
    public func count<Object: ManagedObject>(for request: FetchRequest<Object>) throws -> Int {
        try prepareRequest()
        let resolved = try resolve(request)
        let pending = try request.includesPendingChanges ? PendingObjects(of: resolved, in: self) : nil
        if let pending, !pending.isEmpty { return try pending.fetch(resolved).count }
        return try reading().count(resolved)
    }

    /// Fetches the identities of the objects that a request asks for. It loads no objects, unless unsaved changes must
    /// be evaluated.
    public func fetchObjectIDs<Object: ManagedObject>(_ request: FetchRequest<Object>) throws -> [ObjectID] {
        try prepareRequest()
        let resolved = try resolve(request)
        let pending = try request.includesPendingChanges ? PendingObjects(of: resolved, in: self) : nil
        if let pending, !pending.isEmpty { return try pending.fetch(resolved).map(\.objectID) }
        if resolved.isMixed {
            let batch = try reading().fetch(resolved)
            return (0..<batch.count).map(batch.objectID)
        }
        return try reading().fetchKeys(resolved).map { ObjectID(entityName: resolved.entity.name, key: $0) }
    }

    func resolve<Object: ManagedObject>(_ request: FetchRequest<Object>) throws -> StoreFetchRequest {
        let entity = try entity(of: request)
        if let limit = request.limit, limit < 0 { throw negative("limit", limit) }
        if request.offset < 0 { throw negative("offset", request.offset) }
        var resolved = StoreFetchRequest(
            entity: entity, predicate: try request.predicate?.resolved(for: entity, in: model),
            sortDescriptors: try request.sortDescriptors.map { try $0.resolved(for: entity, in: model) },
            limit: request.limit, offset: request.offset)
        resolved.includesSubentities = request.includesSubentities
        resolved.affectedStores = request.affectedStores.map { Set($0.map(\.identifier)) }
        try resolved.requireStored()
        return resolved
    }

    private func entity<Object: ManagedObject>(of request: FetchRequest<Object>) throws -> ResolvedEntity {
        if let name = request.entityName { return try model.requireEntity(named: name) }
        if let entity = model.entity(for: Object.self) { return entity }
        throw BackstitchError(
            .invalidRequest,
            "no entity of the model has the class \(Object.self); give one the class, EntityDescription(…, class: \(Object.self).self, …), "
                + "or the request an entityName", key: "\(Object.self)")
    }

    func cast<Object: ManagedObject>(_ object: ManagedObject) throws -> Object {
        if let typed = object as? Object { return typed }
        throw BackstitchError(
            .invalidRequest, "objects of \(object.entity.name) are \(type(of: object)), not \(Object.self)",
            objectID: object.objectID)
    }

    private func negative(_ key: String, _ value: Int) -> BackstitchError {
        BackstitchError(
            .invalidRequest,
            "a fetch's \(key) cannot be \(value); give 0 or more\(key == "limit" ? ", or nil for all" : "")", key: key)
    }
}

/// The unsaved objects of one entity and the objects that lead to unsaved ones. They are merged into the store's
/// results.
private struct PendingObjects {
    private let context: ManagedObjectContext
    private let live: [ManagedObject]
    private let keys: Set<ObjectKey>

    init(of request: StoreFetchRequest, in context: ManagedObjectContext) throws {
        self.context = context
        let inserted = context.unsaved.inserted.filter {
            request.asks(for: $0.entity) && $0.state == .inserted && context.willStore($0, for: request)
        }
        let updated = context.unsaved.updated.filter {
            request.asks(for: $0.entity) && $0.state == .persistent && $0.hasChangedColumns
        }
        let deleted = context.unsaved.deleted.objects.filter { request.asks(for: $0.entity) }
        let own = Set((inserted + updated).map(\.key))
        let dependents = try context.dependents(of: request).filter { !own.contains($0.key) }
        let stored = try context.stored(updated + dependents, for: request)
        live = (inserted + stored).sorted { $0.key < $1.key }
        keys = Set(live.map(\.key)).union(deleted.map(\.key))
    }

    var isEmpty: Bool { keys.isEmpty }

    func fetch(_ request: StoreFetchRequest) throws -> [ManagedObject] {
        var wider = request
        wider.offset = 0
        // A very large limit must not overflow.
        wider.limit = request.limit.map { min($0, Int.max / 4) + min(request.offset, Int.max / 4) + keys.count }
        let batch = try context.reading().fetch(wider)
        var objects: [ManagedObject] = []
        for row in 0..<batch.count where !keys.contains(batch.keys[row]) {
            objects.append(context.object(for: RowSnapshot(batch: batch, row: row)))
        }
        let matching = try context.loadingPaths(of: request, from: live) {
            try live.filter { object in
                // A changed fault may be gone from the store.
                guard try object.isNew || object.loadedSnapshot() != nil else { return false }
                return try request.predicate?.evaluate(object) ?? true
            }
        }
        if !matching.isEmpty {
            var order = request
            order.predicate = nil
            objects = try context.loadingPaths(of: order, from: objects + matching) {
                try request.sortDescriptors.sorted(objects + matching)
            }
        }
        return Array(objects.dropFirst(request.offset).prefix(request.limit ?? .max))
    }
}
