extension StoreConfiguration {
    /// The error for a write to a store that was opened read-only.
    ///
    /// - Parameter store: The name of the store in messages.
    public static func isReadOnly(_ store: String) -> BackstitchError {
        BackstitchError(
            .readOnly, "\(store) was opened read-only; open it without isReadOnly to change something in it")
    }

    /// The error for opening a missing store read-only.
    public static func notFound(_ store: String) -> BackstitchError {
        BackstitchError(
            .storeNotFound, "there is no store at \(store), and a read-only store is never created; check the place")
    }
}
