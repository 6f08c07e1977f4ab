import Backstitch
import BackstitchSQL

extension SQLiteStore {
    /// Removes the files of content that neither rows nor the outbox name; see ``PersistentStore/collectAssets()``.
    ///
    /// The names are read in a transaction that is on the disk before any file goes, also under `NORMAL`: else a power
    /// cut could take back the save that replaced a value, after its bytes went.
    public func collectAssets() throws -> Int {
        if configuration.isReadOnly { return 0 }
        return try content.collect {
            try database.readDurably { try AssetNames($0, model: configuration.storedModel).all() }
        }
    }
}
