/// A row of a batch, by its position.
struct RowSnapshot {
    let batch: RowBatch
    let row: Int

    var version: Int64 { batch.versions[row] }
}
