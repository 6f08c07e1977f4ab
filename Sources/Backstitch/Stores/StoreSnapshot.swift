/// A store as it was at some moment. Nobody else is kept from writing; what they write is not seen.
///
/// A snapshot holds on to what the store has thrown away since, so it should not live long.
public protocol StoreSnapshot: StoreReading, AnyObject, Sendable {
    /// Lets go of it. Later requests throw ``BackstitchError/Code/storeClosed``.
    func close()
}
