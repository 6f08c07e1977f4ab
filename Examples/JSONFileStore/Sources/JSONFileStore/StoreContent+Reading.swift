import Backstitch

extension StoreContent {
    /// Returns the rows that match a request, filtered and ordered by Backstitch's own evaluator. So this store gives
    /// the same answers as all others.
    func subjects(_ request: StoreFetchRequest) throws -> [RowSubject] {
        let asked = Set(
            model.entities.filter { entity in
                request.includesSubentities ? entity.isKind(of: request.entity) : entity === request.entity
            }.map(\.name))
        var found: [RowSubject] = []
        for (key, row) in tables[Self.table(of: request.entity)] ?? [:] where asked.contains(row.entityName) {
            let subject = RowSubject(content: self, entity: request.entity, key: key, row: row)
            if try request.predicate?.evaluate(subject) ?? true { found.append(subject) }
        }
        // Without descriptors this orders too: by keys.
        let sorted = try request.sortDescriptors.sorted(found)
        return Array(sorted.dropFirst(request.offset).prefix(request.limit ?? .max))
    }

    func fetch(_ request: StoreFetchRequest) throws -> RowBatch {
        Self.batch(of: request.entity, try subjects(request).map { ($0.key, $0.row) })
    }

    func rows(of entity: ResolvedEntity, keys: [ObjectKey]) -> RowBatch {
        Self.batch(of: entity, Set(keys).compactMap { key in row(key, of: entity).map { (key, $0) } })
    }

    /// - Throws: ``BackstitchError/Code/invalidRequest`` when `property` is an attribute.
    func related(
        by property: ResolvedProperty, of entity: ResolvedEntity, sources: [ObjectKey]
    ) throws -> RelatedRows {
        guard let relationship = property.relationship else {
            throw BackstitchError(
                .invalidRequest, "\(entity.name).\(property.name) is an attribute and leads to no rows",
                key: property.name)
        }
        let destination = model.destination(of: relationship)
        var found: [(ObjectKey, Row)] = []
        var positions: [ObjectKey: Int] = [:]
        var links: [(source: ObjectKey, row: Int)] = []
        for source in Set(sources) {
            for target in targets(of: property, in: entity, from: source) {
                if let position = positions[target] {
                    links.append((source, position))
                } else if let row = row(target, of: destination) {
                    positions[target] = found.count
                    links.append((source, found.count))
                    found.append((target, row))
                }
            }
        }
        return RelatedRows(rows: Self.batch(of: destination, found), links: links)
    }

    private static func batch(of entity: ResolvedEntity, _ rows: [(key: ObjectKey, row: Row)]) -> RowBatch {
        var builder = RowBatchBuilder(entity: entity, capacity: rows.count)
        for (key, row) in rows {
            builder.beginRow(key: key, version: row.version)
            for value in row.values { builder.append(value) }
        }
        return builder.finish()
    }
}
