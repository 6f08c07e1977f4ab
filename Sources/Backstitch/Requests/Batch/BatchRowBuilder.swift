/// Makes rows of what a batch insert gives.
struct BatchRowBuilder {
    let entity: ResolvedEntity
    private let context: ManagedObjectContext
    /// How many bytes of text and bytes a batch takes, about.
    private static let maximumArena = 16 << 20

    init(_ context: ManagedObjectContext, _ entity: ResolvedEntity) {
        self.context = context
        self.entity = entity
    }

    func rows(of source: BatchInsertRequest.Source) -> StoreBatchRequest.RowSource {
        switch source {
        case .objects(let objects):
            var rest = objects[...]
            return { limit in
                try batch(limit) { row in
                    guard let values = rest.popFirst() else { return true }
                    row.values = values
                    return false
                }
            }
        case .fill(let fill):
            var isDone = false
            return { limit in
                if isDone { return nil }
                return try batch(limit) { row in
                    isDone = try fill(&row)
                    return isDone
                }
            }
        }
    }

    private func batch(_ limit: Int, _ fill: (inout BatchInsertRequest.Row) throws -> Bool) throws -> RowBatch? {
        var builder = RowBatchBuilder(entity: entity, capacity: limit)
        var given: Set<ObjectKey> = []
        var row = BatchInsertRequest.Row(of: entity)
        while builder.count < limit, builder.arenaSize < Self.maximumArena {
            row.clear()
            if try fill(&row) { break }
            row.append(key: try key(of: row, &given), try columns(row.others), to: &builder)
        }
        return builder.count == 0 ? nil : builder.finish()
    }

    private func key(of row: BatchInsertRequest.Row, _ given: inout Set<ObjectKey>) throws -> ObjectKey {
        guard let id = row.objectID else { return context.coordinator.generator.next() }
        guard id.entityName == entity.name, given.insert(id.key).inserted else {
            throw BackstitchError(
                .invalidRequest,
                id.entityName == entity.name
                    ? "a batch insert has the identity \(id) twice; give each object its own"
                    : "a batch insert of \(entity.name) has the identity \(id), which is one of another entity",
                objectID: id)
        }
        return id.key
    }

    /// Values that are looked at, by column.
    private func columns(_ values: [String: Value]) throws -> [(slot: Int, value: Value)] {
        if values.isEmpty { return [] }
        return try values.map { name, value in
            if let property = entity.property(named: name), let kind = property.plainKind, value.isPlain(kind) {
                return (property.slot, value)
            }
            let property = try entity.requireBatchProperty(named: name, in: context.model)
            return (property.slot, try context.batchValue(value, for: property, of: entity))
        }
    }
}
