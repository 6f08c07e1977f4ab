import BackstitchSupport

/// Rows that contexts may share instead of asking the store again: rows of look-ups and faults.
///
/// Large fetches bypass it: their rows live in the batches that the objects hold.
final class RowCache: Sendable {
    private struct State {
        var rows: [ObjectKey: Row] = [:]
        /// Rises with each reader that wants no rows older than itself.
        var moment = 0
        /// Rises with each change of the store, so that a row read before a change is not added after it.
        var generation = 0
    }

    /// A row, and the last moment before it was read.
    private struct Row {
        let snapshot: RowSnapshot
        let moment: Int

        /// Whether it is a row of the entity, or of its family. A key may be asked for under a wrong entity.
        func isOne(of entity: ResolvedEntity) -> Bool { snapshot.batch.entity.isRelative(of: entity) }
    }

    /// A mark taken before rows are read. Later changes and later readers make the rows old.
    struct Reading {
        fileprivate let generation: Int
        fileprivate let moment: Int
    }

    private let limit: Int
    private let state = Locked(State())

    init(limit: Int = 50_000) { self.limit = limit }

    /// Rises with each change of the store.
    var generation: Int { state.withLock { $0.generation } }

    /// The present mark. Take it before rows are read, and give it to ``insert(_:readAt:)``.
    var reading: Reading { state.withLock { Reading(generation: $0.generation, moment: $0.moment) } }

    /// Begins a new moment and returns it, for ``rows(of:for:since:)``. Rows that were read before it then count as
    /// missing.
    func begin() -> Int {
        state.withLock { state in
            state.moment += 1
            return state.moment
        }
    }

    /// Returns the cached rows of an entity, and the keys of the missing ones. A row that was read before `moment`
    /// counts as missing.
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

    /// Returns the cached row, unless it was read before `moment`, and the present ``reading``.
    func row(
        of entity: ResolvedEntity, for key: ObjectKey, since moment: Int
    ) -> (known: RowSnapshot?, reading: Reading) {
        state.withLock { state in
            let reading = Reading(generation: state.generation, moment: state.moment)
            guard let row = state.rows[key], row.moment >= moment, row.isOne(of: entity) else { return (nil, reading) }
            return (row.snapshot, reading)
        }
    }

    /// All rows in the cache.
    var all: [RowSnapshot] { state.withLock { $0.rows.values.map(\.snapshot) } }

    /// Adds rows, unless the store has changed since they were read.
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

    /// Adds a row, unless the store has changed since it was read.
    func insert(_ snapshot: RowSnapshot, key: ObjectKey, readAt reading: Reading) {
        state.withLock { state in
            guard state.generation == reading.generation else { return }
            if state.rows.count >= limit { state.rows.removeAll(keepingCapacity: true) }
            // The capacity more than doubles, because all rows are hashed anew each time.
            if state.rows.count == state.rows.capacity { state.rows.reserveCapacity(max(256, state.rows.count * 4)) }
            state.rows[key] = Row(snapshot: snapshot, moment: reading.moment)
        }
    }

    /// Removes all rows from the cache.
    func removeAll() {
        state.withLock { state in
            state.generation += 1
            state.rows = [:]
        }
    }

    /// Removes changed rows from the cache.
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
