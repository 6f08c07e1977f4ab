import Backstitch

/// The links that rows own which a save deletes, as they were before it.
struct OwnedLinks {
    /// By the row's key and the relationship's slot.
    private var links: [ObjectKey: [Int: [ObjectKey]]] = [:]

    /// None.
    init() {}

    /// Those of these rows.
    init(of deletes: [RowBatch], _ reader: RowReader) throws {
        for rows in deletes where rows.count > 0 {
            for property in rows.entity.ownedLinkProperties {
                for (key, targets) in try reader.links(of: property, in: rows.entity, sources: Array(rows.keys)) {
                    links[key, default: [:]][property.slot] = targets
                }
            }
        }
    }

    /// The links of a row as fields of the outbox, none left out.
    func content(of key: ObjectKey, _ entity: ResolvedEntity) -> [OutboxWriter.Field] {
        entity.ownedLinkProperties.map { ($0.name, .links(links[key]?[$0.slot] ?? [])) }
    }
}

extension ResolvedEntity {
    /// The to-many relationships whose links its rows own.
    fileprivate var ownedLinkProperties: [ResolvedProperty] {
        relationships.filter { $0.relationship?.storage == .ownedLinks }
    }
}
