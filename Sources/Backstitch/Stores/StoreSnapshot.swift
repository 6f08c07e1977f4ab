/// A store at one moment. Other code may write to the store, but the snapshot does not show those changes.
///
/// A snapshot keeps data that the store has since thrown away, so it should not live long.
public protocol StoreSnapshot: StoreReading, AnyObject, Sendable {
    /// Releases the snapshot. Later requests throw ``BackstitchError/Code/storeClosed``.
    func close()
}
