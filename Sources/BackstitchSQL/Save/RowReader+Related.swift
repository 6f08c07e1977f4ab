package import Backstitch

extension RowReader {
    /// The rows that a relationship leads to from each of `sources`.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` when `property` is an attribute.
    package func related(
        by property: ResolvedProperty, of entity: ResolvedEntity, sources: [ObjectKey]
    ) throws -> RelatedRows {
        guard let relationship = property.relationship else {
            throw BackstitchError(
                .invalidRequest, "\(entity.name).\(property.name) is an attribute and leads to no rows",
                key: property.name)
        }
        let destination = model.destination(of: relationship)
        var builder = RowBatchBuilder(entity: destination)
        var positions: [ObjectKey: Int] = [:]
        var links: [(source: ObjectKey, row: Int)] = []
        // A row whose own column leads to a source comes once.
        let isOnce = relationship.storage == .inverseColumn
        for chunk in chunks(sources) {
            guard let statement = statements.related(by: property, of: entity, sources: chunk) else { continue }
            try connection.appendRows(of: statement, entity: destination, firstColumn: 1, to: &builder) { row in
                // The source's key, then the destination's row: taken once, however many sources lead to it.
                if isOnce {
                    links.append((try row.key(0), links.count))
                    return true
                }
                let key = try row.key(1)
                let known = positions[key]
                let position = known ?? positions.count
                if known == nil { positions[key] = position }
                links.append((try row.key(0), position))
                return known == nil
            }
        }
        return RelatedRows(rows: builder.finish(), links: links)
    }
}
