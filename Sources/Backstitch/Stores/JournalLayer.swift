/// A store over one that journals, and a journal itself: what is written to the journal goes through the layer.
package protocol JournalLayer: StoreLayer, JournalingStore {
    /// The store below.
    var journalBase: any JournalingStore { get }
}

extension JournalLayer {
    /// The store below.
    package var base: any PersistentStore { journalBase }

    /// The layer.
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

    /// Returns when the store below has all that was committed on the disk.
    public func makeDurable() throws { try journalBase.makeDurable() }

    /// Has the store below remove bytes; its whole journal is read for that.
    public func removeAssets(_ choose: (any JournalReading) throws -> [AssetReference]) throws -> Bool {
        try journalBase.removeAssets(choose)
    }

    /// A lock of the store below.
    public func makeLock(_ name: String, onLoss: @escaping @Sendable () -> Void) throws -> (any StoreLock)? {
        try journalBase.makeLock(name, onLoss: onLoss)
    }
}
