/// The source of a context's reads: the layer below it, or the state of the store that it is pinned to.
///
/// It answers the requests of a store with present rows. Rows of single objects may also have been read before.
protocol RowReading: StoreReading {
    /// Returns rows with these keys, in any order. They may have been read before.
    func snapshots(of entity: ResolvedEntity, keys: [ObjectKey]) throws -> [RowSnapshot]
    /// Returns the row with this key, if there is one. It may have been read before.
    func snapshot(of entity: ResolvedEntity, key: ObjectKey) throws -> RowSnapshot?
}

extension RowReading {
    /// Returns the present rows, for sources that keep none.
    func snapshots(of entity: ResolvedEntity, keys: [ObjectKey]) throws -> [RowSnapshot] {
        let batch = try rows(of: entity, keys: keys)
        return (0..<batch.count).map { RowSnapshot(batch: batch, row: $0) }
    }

    /// Returns the first of ``snapshots(of:keys:)``, for sources without a shorter way.
    func snapshot(of entity: ResolvedEntity, key: ObjectKey) throws -> RowSnapshot? {
        try snapshots(of: entity, keys: [key]).first
    }
}
