package import Backstitch

extension RowReader {
    /// The rows at the other end of a relationship, for each of `sources`.
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
        if sources.count >= Self.manySources, holdsList(relationship) {
            return try relatedRowsOnce(by: property, of: entity, destination, sources)
        }
        var builder = RowBatchBuilder(entity: destination)
        var positions: [ObjectKey: Int] = [:]
        var links: [(source: ObjectKey, row: Int)] = []
        // A row with its own column for the link has one source.
        let isOnce = relationship.storage == .inverseColumn
        for chunk in chunks(sources) {
            guard let statement = statements.related(by: property, of: entity, sources: chunk) else { continue }
            try connection.appendRows(of: statement, entity: destination, firstColumn: 1, to: &builder) { row in
                // The source's key, then the destination's row. The row is kept once, even if several sources link to
                // it.
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

    /// From this number of sources on, rows with lists are read separately, which takes one more statement.
    private static let manySources = 100

    /// Whether the destination rows keep the order of the links. Such a row holds the keys of all sources. To read it
    /// again for each link would take time in the square of their number.
    private func holdsList(_ relationship: ResolvedRelationship) -> Bool {
        switch relationship.storage {
        case .ownedLinks, .inverseLinks: model.inverse(of: relationship).relationship?.orderSlot != nil
        case .column, .inverseColumn: false
        }
    }

    /// The rows at the other end of a many-to-many relationship. First the links are read, then each row once.
    private func relatedRowsOnce(
        by property: ResolvedProperty, of entity: ResolvedEntity, _ destination: ResolvedEntity, _ sources: [ObjectKey]
    ) throws -> RelatedRows {
        let statements = LinkStatements(try linkTable(of: property, in: entity), dialect: connection.dialect)
        var ends: [(source: ObjectKey, target: ObjectKey)] = []
        for chunk in chunks(sources) {
            try connection.forEachRow(of: statements.links(of: chunk)) { ends.append((try $0.key(0), try $0.key(1))) }
        }
        let rows = try rows(of: destination, keys: Set(ends.map(\.target)).sorted())
        let positions = Dictionary(rows.keys.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        let links = ends.compactMap { end in positions[end.target].map { (source: end.source, row: $0) } }
        return RelatedRows(rows: rows, links: links)
    }
}
