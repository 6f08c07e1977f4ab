extension UnionStore {
    func fetch(_ request: StoreFetchRequest) throws -> RowBatch {
        let asked = members(for: request)
        if asked.count == 1 { return try asked[0].store.fetch(request) }
        let rows = try merged(request, asked)
        var builder = RowBatchBuilder(entity: request.entity, capacity: rows.count)
        for row in rows { builder.appendRow(row.snapshot.row, of: row.snapshot.batch) }
        return builder.finish()
    }

    /// Gives the rows of one store as they arrive. Rows of several stores are merged in memory first.
    func forEachBatch(_ request: StoreFetchRequest, size: Int, _ body: (RowBatch) throws -> Void) throws {
        let asked = members(for: request)
        if asked.count == 1 { return try asked[0].store.forEachBatch(request, size: size, body) }
        try fetch(request).forEachPart(of: size, body)
    }

    func fetchKeys(_ request: StoreFetchRequest) throws -> [ObjectKey] {
        let asked = members(for: request)
        if asked.count == 1 { return try asked[0].store.fetchKeys(request) }
        return try merged(request, asked).map(\.objectID.key)
    }

    func count(_ request: StoreFetchRequest) throws -> Int {
        let asked = members(for: request)
        if asked.count == 1 { return try asked[0].store.count(request) }
        var all = request
        (all.limit, all.offset) = (nil, 0)
        let count = try asked.reduce(0) { try $0 + $1.store.count(all) }
        return min(max(0, count - request.offset), request.limit ?? .max)
    }

    func rows(of entity: ResolvedEntity, keys: [ObjectKey]) throws -> RowBatch {
        let holders = members.filter { $0.holds(entity) }
        if holders.count == 1 { return try holders[0].store.rows(of: entity, keys: keys) }
        var builder = RowBatchBuilder(entity: entity, capacity: keys.count)
        var missing = keys
        for member in holders where !missing.isEmpty {
            let batch = try member.store.rows(of: entity, keys: missing)
            for row in 0..<batch.count { builder.appendRow(row, of: batch) }
            let found = Set(batch.keys)
            missing.removeAll(where: found.contains)
        }
        return builder.finish()
    }

    func related(
        by property: ResolvedProperty, of entity: ResolvedEntity, sources: [ObjectKey]
    ) throws -> RelatedRows {
        let holders = members.filter { $0.holds(entity) }
        if holders.count == 1 {
            return try holders[0].store.related(by: property, of: entity, sources: sources)
        }
        guard let relationship = property.relationship else {
            throw BackstitchError(
                .invalidRequest, "\(entity.name).\(property.name) is an attribute and leads to no rows",
                key: property.name)
        }
        var builder = RowBatchBuilder(entity: model.destination(of: relationship))
        var links: [(source: ObjectKey, row: Int)] = []
        var count = 0
        for member in holders {
            let related = try member.store.related(by: property, of: entity, sources: sources)
            for row in 0..<related.rows.count { builder.appendRow(row, of: related.rows) }
            links += related.links.map { ($0.source, $0.row + count) }
            count += related.rows.count
        }
        return RelatedRows(rows: builder.finish(), links: links)
    }

    /// Returns the rows of all stores in the request's order. Each store gives as many rows as the result may need.
    private func merged(_ request: StoreFetchRequest, _ asked: [StoreMember]) throws -> [StoredRow] {
        var part = request
        part.offset = 0
        // A very large limit must not overflow.
        part.limit = request.limit.map { $0.addingReportingOverflow(request.offset) }.flatMap {
            $0.overflow ? nil : $0.0
        }
        let rows = try asked.flatMap { member in
            let batch = try member.store.fetch(part)
            return (0..<batch.count).map {
                StoredRow(snapshot: RowSnapshot(batch: batch, row: $0), store: member.store, model: model)
            }
        }
        return Array(
            try request.sortDescriptors.sorted(rows).dropFirst(request.offset).prefix(request.limit ?? .max))
    }
}

/// A row of a store, in a form that can be ordered.
private struct StoredRow: PredicateSubject {
    let snapshot: RowSnapshot
    let store: any PersistentStore
    let model: ResolvedModel

    var objectID: ObjectID { snapshot.batch.objectID(at: snapshot.row) }

    func predicateValue(_ property: ResolvedProperty) throws -> Value {
        if property.slot < snapshot.batch.entity.columnCount {
            return snapshot.batch.value(snapshot.row, property.slot)
        }
        guard let destination = try predicateDestinations(property).first else { return .null }
        return .object(destination.objectID)
    }

    /// It takes one statement for each row, so paths through relationships are expensive in merged fetches.
    func predicateDestinations(_ property: ResolvedProperty) throws -> [any PredicateSubject] {
        guard let relationship = property.relationship else { return [] }
        let batch: RowBatch
        if property.slot < snapshot.batch.entity.columnCount {
            guard case .object(let id) = snapshot.batch.value(snapshot.row, property.slot) else { return [] }
            batch = try store.rows(of: model.destination(of: relationship), keys: [id.key])
        } else {
            batch = try store.related(by: property, of: snapshot.batch.entity, sources: [objectID.key]).rows
        }
        return (0..<batch.count).map {
            StoredRow(snapshot: RowSnapshot(batch: batch, row: $0), store: store, model: model)
        }
    }
}
