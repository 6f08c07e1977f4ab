import Foundation

/// A store with a journal, which can be synced. The sync store reads and writes rows, outbox and sync state in one
/// transaction.
///
/// The outbox has one entry for each object with unsent changes. A save makes or extends it; see ``OutboxEntry`` for
/// the rules.
public protocol JournalingStore: PersistentStore {
    /// Runs `body` on one snapshot of the store.
    func readJournal<Result>(_ body: (any JournalReading) throws -> Result) throws -> Result

    /// Runs `body` in one transaction, and rolls it back if `body` throws. The written rows enter history under
    /// `author`, but not the outbox.
    func writeJournal<Result>(author: String, _ body: (any JournalWriting) throws -> Result) throws -> Result

    /// Returns when all earlier commits are on the disk, so that no power cut can undo them.
    ///
    /// Sync calls it before it sends anything to a server. So the store never knows less than the server of its own
    /// sent changes. The default assumes that commits are on the disk when they return.
    func makeDurable() throws

    /// Removes asset bytes that are also on a server. `choose` reads one snapshot of the store, and returns the
    /// references.
    ///
    /// Meanwhile no save is about to name content. A save that relies on existing bytes has ended before `choose`
    /// reads, or begins after the removal and writes the bytes again. Keep `choose` short, since saves wait for it.
    ///
    /// There is no such guard for bytes that other stores may name as well, nor in a store with the default
    /// implementation. Then the call simply removes the bytes returned by `choose`.
    ///
    /// - Returns: Whether it was done. It is false, and `choose` is not called, if a save is about to name content. The
    ///   same holds while an older state of the store is read (``PersistentStore/makeSnapshot()``).
    func removeAssets(_ choose: (any JournalReading) throws -> [AssetReference]) throws -> Bool

    /// Makes a lock with this name, shared by all processes with the store open; nil if the store has no locks. Each
    /// call makes another lock, even in one process.
    ///
    /// - Parameter onLoss: Called on any thread if another process may now have the lock without a release, for
    ///   instance after a broken connection. It may be taken again.
    func makeLock(_ name: String, onLoss: @escaping @Sendable () -> Void) throws -> (any StoreLock)?
}

extension JournalingStore {
    /// Does nothing: each commit is on the disk when it returns.
    public func makeDurable() throws {}

    /// Removes the chosen bytes, without a guard against saves.
    public func removeAssets(_ choose: (any JournalReading) throws -> [AssetReference]) throws -> Bool {
        for reference in try readJournal(choose) { try assets.remove(reference) }
        return true
    }
}
