/// A save over several stores. The first stores were written, and the next one failed.
struct PartialSave: Error {
    /// The objects that were written.
    let saved: Set<ObjectKey>
    /// The reason why the rest was not written.
    let error: BackstitchError
}
