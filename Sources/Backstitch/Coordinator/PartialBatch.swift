/// A batch request over several stores. The first stores have carried it out, and the next one has refused it.
struct PartialBatch: Error {
    /// The changes that were stored.
    let changes: StoreChanges
    /// The reason why the rest was not stored.
    let error: BackstitchError
}
