package import Backstitch

extension SQLStore {
    /// Removes content that neither rows nor the outbox name; see ``PersistentStore/collectAssets()``.
    ///
    /// The names are read in a state that is on the disk before any content goes: else a power cut could take back the
    /// save that replaced a value, after its bytes went.
    public func collectAssets() throws -> Int {
        guard !configuration.isReadOnly, let content else { return 0 }
        return try content.collect {
            try database.readDurably { try AssetNames($0, model: configuration.storedModel).all() }
        }
    }

    /// Removes bytes that are on a server too, in a moment in which no save is about to name any; see
    /// ``JournalingStore/removeAssets(_:)``.
    public func removeAssets(_ choose: (any JournalReading) throws -> [AssetReference]) throws -> Bool {
        guard let content else {
            try removeAssetsNow(choose)
            return true
        }
        return try content.content.alone { try removeAssetsNow(choose) }
    }

    /// Removes them, whoever is about to name some.
    package func removeAssetsNow(_ choose: (any JournalReading) throws -> [AssetReference]) throws {
        for reference in try readJournal(choose) { try assets.remove(reference) }
    }

    /// Runs a request. If `names` says that its rows are going to name content, or that it reads a state that does,
    /// none is collected meanwhile. A database that keeps bytes in its transactions guards them there.
    func naming<Result>(_ names: Bool, _ body: () throws -> Result) throws -> Result {
        guard names, let content else { return try body() }
        return try content.content.sharing(body)
    }
}
