/// A save over several stores of which the first were written, and the next failed.
struct PartialSave: Error {
    /// The objects that were written.
    let saved: Set<ObjectKey>
    /// Why the rest was not.
    let error: BackstitchError
}
