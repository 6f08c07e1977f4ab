import Backstitch

/// Writes the links of many-to-many relationships.
struct LinkWriter {
    private let connection: any SQLConnection
    private let statements: ModelStatements
    private var model: ResolvedModel { statements.model }

    init(_ connection: any SQLConnection, _ statements: ModelStatements) {
        self.connection = connection
        self.statements = statements
    }

    /// Removes and adds links, and returns the owners that this changed.
    ///
    /// - Parameter needsBefore: Whether an owner's former links are needed.
    func apply(_ change: LinkChange, needsBefore: (ObjectKey) -> Bool) throws -> LinkEffect {
        guard change.property.relationship?.storage == .ownedLinks,
            let table = SQLLinkTable(of: change.property, in: change.entity, model: model)
        else {
            throw BackstitchError(
                .invalidRequest,
                "\(change.entity.name).\(change.property.name) stores no links; give them from the side that "
                    + "stores them",
                key: change.property.name)
        }
        var effect = LinkEffect(entity: change.entity, property: change.property)
        let sources = Set(change.removed.map(\.source)).union(change.added.map(\.source)).filter(needsBefore)
        if !sources.isEmpty {
            effect.before = try RowReader(connection, statements: statements)
                .links(of: change.property, in: change.entity, sources: Array(sources))
        }
        let statements = LinkStatements(table, dialect: connection.dialect)
        effect.owners.formUnion(try run(statements.delete, change.removed))
        effect.owners.formUnion(try run(statements.insert, change.added))
        return effect
    }

    /// The links to these objects, as changes of the owners at the other end.
    func removals(ofLinksTo keys: [ObjectKey], of entity: ResolvedEntity) throws -> [LinkChange] {
        guard !keys.isEmpty else { return [] }
        let reader = RowReader(connection, statements: statements)
        return try entity.relationships.compactMap { property in
            guard let relationship = property.relationship, isOwned(atOtherEnd: relationship, property, entity) else {
                return nil
            }
            let links = try reader.links(of: property, in: entity, sources: keys)
            guard !links.isEmpty else { return nil }
            var removed = links.keys.sorted().flatMap { target in
                (links[target] ?? []).map { LinkChange.Link(source: $0, target: target) }
            }
            if relationship.storage == .ownedLinks {
                // The object's own links show which objects may link back to it.
                let sources = Array(Set(removed.map(\.source)))
                let back = try reader.links(of: property, in: entity, sources: sources).mapValues(Set.init)
                removed = removed.filter { back[$0.source]?.contains($0.target) ?? false }
            }
            if removed.isEmpty { return nil }
            return LinkChange(
                entity: model.destination(of: relationship), property: model.inverse(of: relationship), removed: removed
            )
        }
    }

    /// Whether the objects at the other end own links. If a relationship is its own inverse, each end owns some.
    private func isOwned(
        atOtherEnd relationship: ResolvedRelationship, _ property: ResolvedProperty, _ entity: ResolvedEntity
    ) -> Bool {
        switch relationship.storage {
        case .inverseLinks: true
        case .ownedLinks:
            relationship.inverseSlot == property.slot
                && SQLNames.table(of: model.destination(of: relationship)) == SQLNames.table(of: entity)
        case .column, .inverseColumn: false
        }
    }

    /// Removes the links that these objects own.
    func removeOwned(by keys: [ObjectKey], of entity: ResolvedEntity) throws {
        for property in entity.relationships where property.relationship?.storage == .ownedLinks {
            guard let table = SQLLinkTable(of: property, in: entity, model: model) else { continue }
            let statement = LinkStatements(table, dialect: connection.dialect).deleteAll
            try connection.runEach(statement, count: keys.count) {
                $1.bind(keys[$0], at: 1)
            } done: { _, _ in
            }
        }
    }

    private func run(_ statement: SQLBulkStatement, _ links: [LinkChange.Link]) throws -> Set<ObjectKey> {
        var owners: Set<ObjectKey> = []
        try connection.runEach(statement, count: links.count) { run, parameters in
            parameters.bind(links[run].source, at: 1)
            parameters.bind(links[run].target, at: 2)
        } done: { run, changed in
            if changed > 0 { owners.insert(links[run].source) }
        }
        return owners
    }
}
