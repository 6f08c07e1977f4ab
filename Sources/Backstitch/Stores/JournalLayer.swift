/// A layer over a store with a journal. The layer is a journal itself: writes to the journal pass through it.
package protocol JournalLayer: StoreLayer, JournalingStore {
    /// The store below, which keeps the journal.
    var journalBase: any JournalingStore { get }
}

extension JournalLayer {
    /// The store below, as a store.
    package var base: any PersistentStore { journalBase }

    /// The layer itself, as a journal.
    public var journal: (any JournalingStore)? { self }

    /// Runs `body` on one snapshot of the store below.
    public func readJournal<Result>(_ body: (any JournalReading) throws -> Result) throws -> Result {
        try journalBase.readJournal(body)
    }

    /// Runs `body` in one transaction of the store below.
    public func writeJournal<Result>(
        author: String, _ body: (any JournalWriting) throws -> Result
    ) throws -> Result {
        try journalBase.writeJournal(author: author, body)
    }

    /// Returns when the store below has all committed changes on the disk.
    public func makeDurable() throws { try journalBase.makeDurable() }

    /// Lets the store below remove bytes; `choose` reads that store's journal.
    public func removeAssets(_ choose: (any JournalReading) throws -> [AssetReference]) throws -> Bool {
        try journalBase.removeAssets(choose)
    }

    /// Makes a lock of the store below.
    public func makeLock(_ name: String, onLoss: @escaping @Sendable () -> Void) throws -> (any StoreLock)? {
        try journalBase.makeLock(name, onLoss: onLoss)
    }
}
