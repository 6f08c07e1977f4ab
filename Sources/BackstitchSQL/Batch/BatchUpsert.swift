import Backstitch

/// Inserts rows of an entity with unique constraints. If another row already has the same unique values, that row is
/// changed instead.
struct BatchUpsert {
    private let writer: BatchWriter
    private let policy: MergePolicy
    private let number: Int64

    init(_ writer: BatchWriter, _ policy: MergePolicy, _ number: Int64) {
        self.writer = writer
        self.policy = policy
        self.number = number
    }

    /// Writes all rows of a source, part by part.
    ///
    /// - Returns: The segments to write to history.
    /// - Throws: ``BackstitchError/Code/constraint`` when a merged object collides with a third one.
    func write(_ next: StoreBatchRequest.RowSource) throws -> [HistorySegment] {
        // One part may insert a row, and a later part may change it.
        var history = HistoryCollector()
        while let part = try next(BatchWriter.partLength) {
            try writer.keep(part.assets)
            for segment in try write(part.rows) { history.add(segment) }
        }
        return history.segments()
    }

    private func write(_ rows: RowBatch) throws -> [HistorySegment] {
        do {
            // The constraints are checked before any row is written.
            return try writer.writePart(number) { $0.inserts = [rows] }
        } catch let error as BackstitchError where error.code == .constraint {
            let conflicts = (error.faults.isEmpty ? [error] : error.faults).compactMap(\.constraintConflict)
            guard !conflicts.isEmpty, let segments = try write(rows, conflicts) else { throw error }
            return segments
        }
    }

    /// Merges the rows in conflict, and writes the rest. Nil when a stored row with the values was deleted meanwhile.
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

    /// The new values of an object, with its entity.
    private struct Image {
        let entity: ResolvedEntity
        var values: [Value]
    }

    /// Merges a row into a present object. The object may have a related entity. Properties that only one of the two
    /// has stay unchanged.
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

    /// The change from the stored rows to the new values. Unchanged rows are left out.
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
