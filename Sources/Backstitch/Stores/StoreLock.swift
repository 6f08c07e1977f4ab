/// A lock that belongs to a store. By it, processes with the store open agree on one of them for a task. The store's
/// database, or the system, releases it when a process ends, for any reason.
public protocol StoreLock: AnyObject, Sendable {
    /// Takes the lock, or changes its mode, unless another holder's mode excludes that. It does not wait.
    ///
    /// - Returns: Whether the lock is held now. If not, it is held in no mode, even if it was held before.
    /// - Throws: A ``BackstitchError`` if the store does not answer; the lock is not held then.
    func take(_ mode: StoreLockMode) throws -> Bool

    /// Releases the lock. Nothing happens if it is not held.
    func release()
}

extension JournalingStore {
    /// Returns nil: the default is a store without locks.
    public func makeLock(_ name: String, onLoss: @escaping @Sendable () -> Void) throws -> (any StoreLock)? { nil }
}
