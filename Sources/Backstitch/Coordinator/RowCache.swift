import BackstitchSupport

/// Rows that contexts may share instead of asking the store again: those of look-ups and faults.
///
/// Large fetches pass it by: their rows live in the batches that the objects hold.
final class RowCache: Sendable {
    private struct State {
        var rows: [ObjectKey: Row] = [:]
        /// Rises with each reader that asks for rows which are not older than itself.
        var moment = 0
        /// Rises with each change of the store, so that a row read before it is not put in after it.
        var generation = 0
    }

    /// A row, and the last moment before it was read.
    private struct Row {
        let snapshot: RowSnapshot
        let moment: Int

        /// Whether it is a row of the entity, or of its family: a key may be asked for under a wrong entity.
        func isOne(of entity: ResolvedEntity) -> Bool { snapshot.batch.entity.isRelative(of: entity) }
    }

    /// A mark taken before rows are read: changes and readers that come later make the rows old.
    struct Reading {
        fileprivate let generation: Int
        fileprivate let moment: Int
    }

    private let limit: Int
    private let state = Locked(State())

    init(limit: Int = 50_000) { self.limit = limit }

    /// Rises with each change of the store.
    var generation: Int { state.withLock { $0.generation } }

    /// To be taken before rows are read, and given to ``insert(_:readAt:)``.
    var reading: Reading { state.withLock { Reading(generation: $0.generation, moment: $0.moment) } }

    /// The present moment, to be given to ``rows(for:since:)``: rows that were read before it are not here then.
    func begin() -> Int {
        state.withLock { state in
            state.moment += 1
            return state.moment
        }
    }

    /// The rows of an entity that are here, and the keys of those that are not, or were read before a moment.
    func rows(
        of entity: ResolvedEntity, for keys: [ObjectKey], since moment: Int = 0
    ) -> (found: [RowSnapshot], missing: [ObjectKey]) {
        state.withLock { state in
            var found: [RowSnapshot] = []
            var missing: [ObjectKey] = []
            for key in keys {
                if let row = state.rows[key], row.moment >= moment, row.isOne(of: entity) {
                    found.append(row.snapshot)
                } else {
                    missing.append(key)
                }
            }
            return (found, missing)
        }
    }

    /// The row if it is here and was not read before a moment, and what ``reading`` is now.
    func row(
        of entity: ResolvedEntity, for key: ObjectKey, since moment: Int
    ) -> (known: RowSnapshot?, reading: Reading) {
        state.withLock { state in
            let reading = Reading(generation: state.generation, moment: state.moment)
            guard let row = state.rows[key], row.moment >= moment, row.isOne(of: entity) else { return (nil, reading) }
            return (row.snapshot, reading)
        }
    }

    /// Every row that is here.
    var all: [RowSnapshot] { state.withLock { $0.rows.values.map(\.snapshot) } }

    /// Puts rows in, unless the store has changed since they were read.
    func insert(_ batch: RowBatch, readAt reading: Reading) {
        guard batch.count > 0, batch.count <= limit / 4 else { return }
        state.withLock { state in
            guard state.generation == reading.generation else { return }
            if state.rows.count + batch.count > limit { state.rows.removeAll(keepingCapacity: true) }
            for row in 0..<batch.count {
                state.rows[batch.keys[row]] = Row(
                    snapshot: RowSnapshot(batch: batch, row: row), moment: reading.moment)
            }
        }
    }

    /// Puts a row in, unless the store has changed since it was read.
    func insert(_ snapshot: RowSnapshot, key: ObjectKey, readAt reading: Reading) {
        state.withLock { state in
            guard state.generation == reading.generation else { return }
            if state.rows.count >= limit { state.rows.removeAll(keepingCapacity: true) }
            // By more than twice, as all rows are hashed anew each time.
            if state.rows.count == state.rows.capacity { state.rows.reserveCapacity(max(256, state.rows.count * 4)) }
            state.rows[key] = Row(snapshot: snapshot, moment: reading.moment)
        }
    }

    /// Takes all rows out.
    func removeAll() {
        state.withLock { state in
            state.generation += 1
            state.rows = [:]
        }
    }

    /// Takes changed rows out.
    func invalidate(_ changes: StoreChanges) {
        state.withLock { state in
            state.generation += 1
            if state.rows.isEmpty { return }
            for id in changes.inserted { state.rows[id.key] = nil }
            for id in changes.updated { state.rows[id.key] = nil }
            for id in changes.deleted { state.rows[id.key] = nil }
        }
    }
}
