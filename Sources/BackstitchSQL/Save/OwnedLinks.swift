import Backstitch

/// The former links that deleted rows of a save owned.
struct OwnedLinks {
    /// The targets by the row's key and the relationship's slot.
    private var links: [ObjectKey: [Int: [ObjectKey]]] = [:]

    /// Creates an empty set, for a store without an outbox.
    init() {}

    /// Reads the links of rows before their deletion.
    init(of deletes: [RowBatch], _ reader: RowReader) throws {
        for rows in deletes where rows.count > 0 {
            for property in rows.entity.ownedLinkProperties {
                for (key, targets) in try reader.links(of: property, in: rows.entity, sources: Array(rows.keys)) {
                    links[key, default: [:]][property.slot] = targets
                }
            }
        }
    }

    /// All owned links of a row as fields of the outbox, also those without targets.
    func content(of key: ObjectKey, _ entity: ResolvedEntity) -> [OutboxWriter.Field] {
        entity.ownedLinkProperties.map { ($0.name, .links(links[key]?[$0.slot] ?? [])) }
    }
}

extension ResolvedEntity {
    /// The to-many relationships whose links belong to the entity's rows.
    fileprivate var ownedLinkProperties: [ResolvedProperty] {
        relationships.filter { $0.relationship?.storage == .ownedLinks }
    }
}
