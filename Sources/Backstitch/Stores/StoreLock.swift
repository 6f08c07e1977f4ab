/// A lock that belongs to a store: by it processes that have the store open agree who of them does something. The
/// store's database, or the system, takes it from a process that ends, however that comes.
public protocol StoreLock: AnyObject, Sendable {
    /// Takes the lock, or changes to another mode of it, unless others hold it in a way that does not go with that. It
    /// does not wait.
    ///
    /// - Returns: Whether it is held now; if not, it is held in no mode, also where it was before.
    /// - Throws: A ``BackstitchError`` when the store cannot be asked; it is not held then.
    func take(_ mode: StoreLockMode) throws -> Bool

    /// Lets others have it. Nothing happens when it is not held.
    func release()
}

extension JournalingStore {
    /// The store has no locks.
    public func makeLock(_ name: String, onLoss: @escaping @Sendable () -> Void) throws -> (any StoreLock)? { nil }
}
