package import Backstitch

extension SQLStore {
    /// Removes content without a name in the rows or the outbox; see ``PersistentStore/collectAssets()``.
    ///
    /// The names are read in a state that is on the disk, before any content is removed. Otherwise a power cut could
    /// undo the save that replaced a value, after its bytes were removed.
    public func collectAssets() throws -> Int {
        guard !configuration.isReadOnly, let content else { return 0 }
        return try content.collect {
            try database.readDurably { try AssetNames($0, model: configuration.storedModel).all() }
        }
    }

    /// Removes bytes that a server also has, at a moment without saves that name assets; see
    /// ``JournalingStore/removeAssets(_:)``.
    public func removeAssets(_ choose: (any JournalReading) throws -> [AssetReference]) throws -> Bool {
        guard let content else {
            try removeAssetsNow(choose)
            return true
        }
        return try content.content.alone { try removeAssetsNow(choose) }
    }

    /// Removes them, even if a save is about to name some.
    package func removeAssetsNow(_ choose: (any JournalReading) throws -> [AssetReference]) throws {
        for reference in try readJournal(choose) { try assets.remove(reference) }
    }

    /// Runs a request. With `names`, its rows will name content, or it reads a state that does; no content is collected
    /// meanwhile. A database that keeps bytes in its transactions guards them there.
    func naming<Result>(_ names: Bool, _ body: () throws -> Result) throws -> Result {
        guard names, let content else { return try body() }
        return try content.content.sharing(body)
    }
}
