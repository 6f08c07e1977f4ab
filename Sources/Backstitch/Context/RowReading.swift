/// Where a context reads: what lies below it, or a state of the store that it is pinned to.
///
/// It answers the requests of a store, with rows as they are now. Rows of single objects may also be ones that were
/// read before.
protocol RowReading: StoreReading {
    /// Rows with these keys, in any order; possibly ones that were read before.
    func snapshots(of entity: ResolvedEntity, keys: [ObjectKey]) throws -> [RowSnapshot]
    /// The row with this key, if there is one; possibly one that was read before.
    func snapshot(of entity: ResolvedEntity, key: ObjectKey) throws -> RowSnapshot?
}

extension RowReading {
    /// The rows as they are now, for sources that keep none.
    func snapshots(of entity: ResolvedEntity, keys: [ObjectKey]) throws -> [RowSnapshot] {
        let batch = try rows(of: entity, keys: keys)
        return (0..<batch.count).map { RowSnapshot(batch: batch, row: $0) }
    }

    /// The first of ``snapshots(of:keys:)``, for sources that have no shorter way.
    func snapshot(of entity: ResolvedEntity, key: ObjectKey) throws -> RowSnapshot? {
        try snapshots(of: entity, keys: [key]).first
    }
}
