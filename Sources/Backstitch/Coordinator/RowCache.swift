/// Rows that contexts may share instead of asking the store again: those of look-ups and faults.
///
/// Large fetches pass it by: their rows live in the batches that the objects hold.
final class RowCache: Sendable {
    private struct State {
        var rows: [ObjectKey: RowSnapshot] = [:]
        /// Rises with each change of the store, so that a row read before it is not put in after it.
        var generation = 0
    }

    private let limit: Int
    private let state = Locked(State())

    init(limit: Int = 50_000) { self.limit = limit }

    /// To be taken before rows are read, and given to ``insert(_:readAt:)``.
    var generation: Int { state.withLock { $0.generation } }

    /// The rows that are here, and the keys of those that are not.
    func rows(for keys: [ObjectKey]) -> (found: [RowSnapshot], missing: [ObjectKey]) {
        state.withLock { state in
            var found: [RowSnapshot] = []
            var missing: [ObjectKey] = []
            for key in keys {
                if let row = state.rows[key] { found.append(row) } else { missing.append(key) }
            }
            return (found, missing)
        }
    }

    /// Every row that is here.
    var all: [RowSnapshot] { state.withLock { Array($0.rows.values) } }

    /// Puts rows in, unless the store has changed since they were read.
    func insert(_ batch: RowBatch, readAt generation: Int) {
        guard batch.count > 0, batch.count <= limit / 4 else { return }
        state.withLock { state in
            guard state.generation == generation else { return }
            if state.rows.count + batch.count > limit { state.rows.removeAll(keepingCapacity: true) }
            for row in 0..<batch.count { state.rows[batch.keys[row]] = RowSnapshot(batch: batch, row: row) }
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
            for id in changes.inserted { state.rows[id.key] = nil }
            for id in changes.updated { state.rows[id.key] = nil }
            for id in changes.deleted { state.rows[id.key] = nil }
        }
    }
}
