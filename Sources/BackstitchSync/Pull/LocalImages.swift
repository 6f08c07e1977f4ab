import Backstitch

/// The objects of one entity with their local values.
struct LocalImages {
    private let rows: RowBatch
    private let positions: [ObjectKey: Int]
    private let links: [Int: [ObjectKey: [ObjectKey]]]

    init(of keys: [ObjectKey], _ entity: SyncedEntity, from journal: any JournalReading) throws {
        rows = try journal.rows(of: entity.entity, keys: keys)
        positions = Dictionary(rows.keys.enumerated().map { ($0.element, $0.offset) }, uniquingKeysWith: { $1 })
        var links: [Int: [ObjectKey: [ObjectKey]]] = [:]
        for property in entity.ownedLinks {
            links[property.slot] = try journal.links(of: property, in: entity.entity, sources: keys)
        }
        self.links = links
    }

    /// Returns the object with that key; nil if there is none.
    subscript(key: ObjectKey) -> RecordImage? {
        guard let row = positions[key] else { return nil }
        return RecordImage(values: rows.values(at: row), links: links.mapValues { ($0[key] ?? []).sorted() })
    }
}

extension RecordDecoder.Decoded {
    /// Returns the record in the form for a merge.
    ///
    /// - Parameter local: The local object, for values outside the record; nil if it is not here.
    func image(key: ObjectKey, of entity: SyncedEntity, keeping local: RecordImage?) -> RecordImage {
        var builder = RowBatchBuilder(entity: entity.entity, capacity: 1)
        builder.beginRow(key: key, version: 1)
        for cell in cells { builder.append(cell) }
        var values = builder.finish().values(at: 0)
        for column in entity.keptColumns {
            values[column.slot] = local?.values[column.slot] ?? entity.entity.defaults[column.slot]
        }
        return RecordImage(values: values, links: links)
    }
}
