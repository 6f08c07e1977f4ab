import Backstitch

/// The links to an object about to be removed. Every relationship has an inverse, so the object's own relationships
/// show where to look.
struct InboundLinks {
    /// A to-one relationship, stored in a column of its owner.
    struct Column {
        var owner: ObjectID
        var property: ResolvedProperty
        /// Whether only one object may have this link to the same target.
        var isExclusive: Bool
    }

    /// A link of a many-to-many relationship, stored by its owner.
    struct Link {
        var owner: ObjectID
        var entity: ResolvedEntity
        var property: ResolvedProperty
        /// All former targets of the owner.
        var before: [ObjectKey]
    }

    private(set) var columns: [Column] = []
    private(set) var links: [Link] = []

    var isEmpty: Bool { columns.isEmpty && links.isEmpty }

    init(to id: ObjectID, _ entity: ResolvedEntity, in journal: any JournalReading, _ model: SyncedModel) throws {
        for own in entity.relationships {
            guard let relationship = own.relationship else { continue }
            let source = model.model.entities[relationship.destinationIndex]
            let inverse = source.properties[relationship.inverseSlot]
            switch relationship.storage {
            case .column, .ownedLinks: break
            case .inverseColumn:
                let rows = try journal.rows(of: source, leadingTo: id, by: inverse, model)
                columns += (0..<rows.count).map {
                    Column(owner: rows.objectID(at: $0), property: inverse, isExclusive: !relationship.isToMany)
                }
            case .inverseLinks:
                let owners = try journal.links(of: own, in: entity, sources: [id.key])[id.key] ?? []
                let before = try journal.links(of: inverse, in: source, sources: owners)
                let rows = try journal.rows(of: source, keys: owners)
                links += (0..<rows.count).map {
                    Link(
                        owner: rows.objectID(at: $0), entity: source, property: inverse,
                        before: (before[rows.keys[$0]] ?? []).sorted())
                }
            }
        }
    }
}

extension JournalReading {
    /// The rows with a link to an object in a to-one column. The object itself may be missing.
    fileprivate func rows(
        of entity: ResolvedEntity, leadingTo id: ObjectID, by column: ResolvedProperty, _ model: SyncedModel
    ) throws -> RowBatch {
        let predicate = FetchPredicate.comparison(
            FetchComparison(
                .keyPath(FetchKeyPath(names: [column.name])), .equal,
                .value(.object(ObjectID(entityName: column.destinationName, key: id.key)))))
        return try fetch(StoreFetchRequest(entity: entity, predicate: predicate.resolved(for: entity, in: model.model)))
    }

    /// Whether no row has a link to the object in a to-one column.
    func isFree(
        _ column: ResolvedProperty, of entity: ResolvedEntity, _ id: ObjectID, _ model: SyncedModel
    ) throws -> Bool { try rows(of: entity, leadingTo: id, by: column, model).count == 0 }
}
