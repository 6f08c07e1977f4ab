/// Makes rows from the objects of a batch insert.
struct BatchRowBuilder {
    let entity: ResolvedEntity
    private let context: ManagedObjectContext
    /// The approximate limit for the text, binary values and assets of a part, in bytes.
    private static let maximumSize = 16 << 20

    /// The required columns that a batch insert can set.
    private let required: PropertySet

    init(_ context: ManagedObjectContext, _ entity: ResolvedEntity) {
        self.context = context
        self.entity = entity
        required = PropertySet(
            entity.requiredColumns.slots.filter { (try? entity.requireBatchProperty(at: $0, in: context.model)) != nil }
        )
    }

    func rows(of source: BatchInsertRequest.Source) -> StoreBatchRequest.RowSource {
        switch source {
        case .objects(let objects):
            var rest = objects[...]
            var count = 0
            return { limit in
                try batch(limit, &count) { row in
                    guard let values = rest.popFirst() else { return true }
                    row.values = values
                    return false
                }
            }
        case .fill(let fill):
            var isDone = false
            var count = 0
            return { limit in
                if isDone { return nil }
                return try batch(limit, &count) { row in
                    isDone = try fill(&row)
                    return isDone
                }
            }
        }
    }

    /// - Parameter count: The number of objects so far; each new object adds one.
    private func batch(
        _ limit: Int, _ count: inout Int, _ fill: (inout BatchInsertRequest.Row) throws -> Bool
    ) throws -> StoreBatchRequest.Part? {
        var builder = RowBatchBuilder(entity: entity, capacity: limit)
        var assets: AssetContents = [:]
        var assetSize = 0
        var given: Set<ObjectKey> = []
        var row = BatchInsertRequest.Row(of: entity)
        while builder.count < limit, builder.arenaSize + assetSize < Self.maximumSize {
            row.clear()
            if try fill(&row) { break }
            count += 1
            if !required.isEmpty, let name = row.nameWithoutValue(among: required) {
                throw missing(name, in: row, count)
            }
            row.append(key: try key(of: row, &given), try columns(row.others, &assets, &assetSize), to: &builder)
        }
        return builder.count == 0
            ? nil : StoreBatchRequest.Part(rows: builder.finish(), assets: assets, givesKeys: !given.isEmpty)
    }

    private func missing(_ name: String, in row: BatchInsertRequest.Row, _ number: Int) -> BackstitchError {
        BackstitchError(
            .validation,
            "object \(number) of a batch insert of \(entity.name) (\(row.summary)) needs a value for \(name); give it one, or give "
                + "\(entity.name).\(name) a default or make it optional in the model", objectID: row.objectID, key: name
        )
    }

    private func key(of row: BatchInsertRequest.Row, _ given: inout Set<ObjectKey>) throws -> ObjectKey {
        let identified = try entity.naturalKey.map { naturalKey in
            ObjectID(entityName: entity.name, key: try entity.identifiedKey(naturalKey) { row[$0] })
        }
        guard let id = row.objectID ?? identified else { return context.coordinator.generator.next() }
        if let identified, identified != id {
            throw BackstitchError(
                .invalidRequest,
                "a batch insert of \(entity.name) has the identity \(id) for values that identify \(identified); leave the "
                    + "identity out", objectID: id)
        }
        guard id.entityName == entity.name, given.insert(id.key).inserted else {
            throw BackstitchError(
                .invalidRequest,
                id.entityName == entity.name
                    ? "a batch insert has the identity \(id) twice; give each object its own"
                    : "a batch insert of \(entity.name) has the identity \(id), which belongs to another entity",
                objectID: id)
        }
        return id.key
    }

    /// The values that need a check, accepted and by column.
    private func columns(
        _ values: [String: Value], _ assets: inout AssetContents, _ assetSize: inout Int
    ) throws -> [(slot: Int, value: Value)] {
        if values.isEmpty { return [] }
        return try values.map { name, value in
            if let property = entity.property(named: name), let kind = property.plainKind, value.isPlain(kind) {
                return (property.slot, value)
            }
            let property = try entity.requireBatchProperty(named: name, in: context.model)
            let stored = try context.batchValue(value, for: property, of: entity, &assets)
            if case .asset(let reference) = stored { assetSize += Int(clamping: assets[reference]?.size ?? 0) }
            return (property.slot, stored)
        }
    }
}
