import Foundation

/// A store that can be synced: it journals, and lets the sync store read and write rows, outbox and sync state in one
/// transaction.
///
/// The outbox has one entry an object that has unsent changes. A save makes or widens it; see ``OutboxEntry`` for how.
public protocol JournalingStore: PersistentStore {
    /// Runs `body` on one snapshot of the store.
    func readJournal<Result>(_ body: (any JournalReading) throws -> Result) throws -> Result

    /// Runs `body` in one transaction, which is undone if it throws. Rows that it writes enter history under `author`,
    /// and do not enter the outbox.
    func writeJournal<Result>(author: String, _ body: (any JournalWriting) throws -> Result) throws -> Result

    /// Returns when all that was committed before is on the disk, so that no power cut takes it back.
    ///
    /// Asked before anything leaves for a server, so that a store never knows less of what it has sent than the server
    /// does. Without it, commits are taken to be on the disk when they return.
    func makeDurable() throws

    /// Removes bytes of assets that are on a server too: those that `choose` gives, asked on one snapshot of the store.
    ///
    /// No save is about to name content meanwhile. One that takes bytes to be there, since they are, is over before
    /// `choose` reads, or begins when they are gone, and brings them again. Keep `choose` short: saves wait for it.
    ///
    /// Bytes that other stores may name as well, and those of a store without this request, have no such guard: then
    /// it is a plain removal of what `choose` gives.
    ///
    /// - Returns: Whether it was done; false, without asking `choose`, while somebody is about to name content or reads
    ///   an older state of the store (``PersistentStore/makeSnapshot()``).
    func removeAssets(_ choose: (any JournalReading) throws -> [AssetReference]) throws -> Bool

    /// A lock of that name, which every process that has the store open can ask for; nil where the store has no locks
    /// of its own. Each call gives another one, also in one process.
    ///
    /// - Parameter onLoss: Called, from any thread, when the lock may have gone to another process although nobody has
    ///   released it: a connection broke, for instance. It may be taken again.
    func makeLock(_ name: String, onLoss: @escaping @Sendable () -> Void) throws -> (any StoreLock)?
}

extension JournalingStore {
    /// Does nothing: each commit is on the disk when it returns.
    public func makeDurable() throws {}

    /// Removes them, and keeps nobody out.
    public func removeAssets(_ choose: (any JournalReading) throws -> [AssetReference]) throws -> Bool {
        for reference in try readJournal(choose) { try assets.remove(reference) }
        return true
    }
}
