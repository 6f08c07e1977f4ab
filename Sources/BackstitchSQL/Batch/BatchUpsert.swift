import Backstitch

/// Inserts rows of an entity with unique constraints: one whose values another has already becomes a change of that
/// one.
struct BatchUpsert {
    private let writer: BatchWriter
    private let policy: MergePolicy
    private let number: Int64

    init(_ writer: BatchWriter, _ policy: MergePolicy, _ number: Int64) {
        self.writer = writer
        self.policy = policy
        self.number = number
    }

    /// - Returns: The segments to write to history.
    /// - Throws: ``BackstitchError/Code/constraint`` when a merged object collides with yet another one.
    func write(_ next: StoreBatchRequest.RowSource) throws -> [HistorySegment] {
        // A row may be inserted by one part and changed by a later one.
        var history = HistoryCollector()
        while let part = try next(BatchWriter.partLength) {
            try writer.keep(part.assets)
            for segment in try write(part.rows) { history.add(segment) }
        }
        return history.segments()
    }

    private func write(_ rows: RowBatch) throws -> [HistorySegment] {
        do {
            // The constraints are checked before anything is written.
            return try writer.writePart(number) { $0.inserts = [rows] }
        } catch let error as BackstitchError where error.code == .constraint {
            let conflicts = (error.faults.isEmpty ? [error] : error.faults).compactMap(\.constraintConflict)
            guard !conflicts.isEmpty, let segments = try write(rows, conflicts) else { throw error }
            return segments
        }
    }

    /// Nil when a row that has the values has gone meanwhile.
    private func write(_ rows: RowBatch, _ conflicts: [ConstraintConflict]) throws -> [HistorySegment]? {
        var target: [ObjectKey: ObjectKey] = [:]
        for conflict in conflicts where target[conflict.objectID.key] == nil {
            target[conflict.objectID.key] = conflict.otherObjectID.key
        }
        let storedKeys = Set(conflicts.filter(\.isOtherStored).map(\.otherObjectID.key)).sorted()
        let stored = writer.byEntity(try writer.rows(of: rows.entity, keys: storedKeys[...]))
        guard stored.reduce(0, { $0 + $1.count }) == storedKeys.count else { return nil }
        var images: [ObjectKey: Image] = [:]
        for batch in stored {
            for row in 0..<batch.count {
                images[batch.keys[row]] = Image(entity: batch.entity, values: batch.values(at: row))
            }
        }
        for row in 0..<rows.count {
            let key = rows.keys[row]
            var place = key
            while let further = target[place] { place = further }
            if place == key {
                images[key] = Image(entity: rows.entity, values: rows.values(at: row))
            } else {
                merge(rows, row, into: &images[place])
            }
        }
        var inserts = RowBatchBuilder(entity: rows.entity, capacity: rows.count)
        for row in 0..<rows.count where target[rows.keys[row]] == nil {
            inserts.beginRow(key: rows.keys[row], version: 1)
            for value in images[rows.keys[row]]?.values ?? [] { inserts.append(value) }
        }
        let inserted = inserts.finish()
        return try writer.writePart(number) { part in
            part.inserts = inserted.count == 0 ? [] : [inserted]
            part.updates = stored.map { update($0, images) }.filter { $0.rows.count > 0 }
        }
    }

    /// The values that an object is to have.
    private struct Image {
        let entity: ResolvedEntity
        var values: [Value]
    }

    /// The object may be of a relative's entity: then what only one of the two has stays as it is.
    private func merge(_ rows: RowBatch, _ row: Int, into present: inout Image?) {
        guard var image = present else { return }
        for column in rows.entity.ownColumns where image.entity.owns(column.slot) && !column.isDerived {
            let slot = column.slot
            if slot == rows.entity.family?.slot { continue }
            let value = rows.value(row, slot), initial = rows.entity.defaults[slot]
            let wins =
                switch policy {
                case .overwrite: true
                case .mergeByPropertyObjectTrump: value != initial
                case .mergeByPropertyStoreTrump: value != initial && image.values[slot] == initial
                case .rollback, .error: false
                }
            if wins { image.values[slot] = value }
        }
        present = image
    }

    /// The change from stored rows to these values; rows that stay as they are are left out.
    private func update(_ rows: RowBatch, _ images: [ObjectKey: Image]) -> RowUpdate {
        var changedRows = RowBatchBuilder(entity: rows.entity, capacity: rows.count)
        var originals = RowBatchBuilder(entity: rows.entity, capacity: rows.count)
        var changed: [PropertySet] = []
        for row in 0..<rows.count {
            let new = images[rows.keys[row]]?.values ?? []
            let columns = new.indices.filter { new[$0] != rows.value(row, $0) }
            if columns.isEmpty { continue }
            originals.appendRow(row, of: rows)
            changedRows.beginRow(key: rows.keys[row], version: rows.versions[row])
            for value in new { changedRows.append(value) }
            changed.append(PropertySet(columns))
        }
        return RowUpdate(rows: changedRows.finish(), originals: originals.finish(), changed: changed)
    }
}
