package import Backstitch

/// Makes the parts of store requests: keys, rows, and changes of rows and links, by the names of the model.
package protocol RequestMaking {
    /// The model with the entities of the requests.
    var model: ResolvedModel { get }
    /// Makes rising keys, so that the order of making is the order of fetches.
    var generator: ObjectIDGenerator { get }
}

extension RequestMaking {
    /// The entity of this name, which must be in the model.
    package func entity(_ name: String) throws -> ResolvedEntity { try model.requireEntity(named: name) }

    /// A property of the entity, which must be in the model.
    package func property(_ name: String, of entity: String) throws -> ResolvedProperty {
        try self.entity(entity).requireProperty(named: name)
    }

    /// New keys in rising order.
    package func keys(_ count: Int) -> [ObjectKey] { (0..<count).map { _ in generator.next() } }

    /// Rows of an entity. Columns without a value are null.
    package func rows(_ entity: String, _ rows: [(ObjectKey, [String: Value])], version: Int64 = 1) throws -> RowBatch {
        let entity = try self.entity(entity)
        var builder = RowBatchBuilder(entity: entity, capacity: rows.count)
        for (key, values) in rows {
            builder.beginRow(key: key, version: version)
            for column in entity.columns { builder.append(values[column.name] ?? .null) }
        }
        return builder.finish()
    }

    /// One row of an entity. Columns without a value are null.
    package func rows(_ entity: String, _ key: ObjectKey, _ values: [String: Value] = [:], version: Int64 = 1) throws
        -> RowBatch
    { try rows(entity, [(key, values)], version: version) }

    /// An update of stored rows, as a context would make it.
    package func update(_ originals: RowBatch, _ change: (Int) -> [String: Value]) -> RowUpdate {
        var builder = RowBatchBuilder(entity: originals.entity)
        var changed: [PropertySet] = []
        for row in 0..<originals.count {
            let values = change(row)
            builder.beginRow(key: originals.keys[row], version: originals.versions[row])
            var slots = PropertySet()
            for column in originals.entity.columns {
                if values[column.name] != nil { slots.insert(column.slot) }
                builder.append(values[column.name] ?? originals.value(row, column.slot))
            }
            changed.append(slots)
        }
        return RowUpdate(rows: builder.finish(), originals: originals, changed: changed)
    }

    /// A change of links, as the side that owns them sees it.
    package func links(
        _ property: String, of entity: String, added: [(ObjectKey, ObjectKey)] = [],
        removed: [(ObjectKey, ObjectKey)] = []
    ) throws -> LinkChange {
        LinkChange(
            entity: try self.entity(entity), property: try self.property(property, of: entity),
            added: added.map { .init(source: $0.0, target: $0.1) },
            removed: removed.map { .init(source: $0.0, target: $0.1) })
    }
}

extension PersistentStore {
    /// Saves the request that `fill` has filled.
    @discardableResult
    package func save(
        author: String? = nil, _ fill: (inout SaveChangesRequest) throws -> Void
    ) throws -> SaveResult {
        var request = SaveChangesRequest(author: author)
        try fill(&request)
        return try save(request)
    }

    /// Every row of an entity, in the order of keys.
    package func all(_ entity: ResolvedEntity) throws -> RowBatch { try fetch(StoreFetchRequest(entity: entity)) }
}
