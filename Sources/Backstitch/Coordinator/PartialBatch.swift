/// A batch request over several stores that the first have carried out, and the next has refused.
struct PartialBatch: Error {
    /// The changes that were stored.
    let changes: StoreChanges
    /// Why the rest was not.
    let error: BackstitchError
}
