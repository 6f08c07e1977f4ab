public import Backstitch

extension SyncStore: StoreLayer {
    /// The wrapped store, which handles all requests outside sync.
    package var base: any PersistentStore { backing }

    /// The wrapped store, whose history is also this store's.
    public var journal: (any JournalingStore)? { backing }

    /// Always true: the server has the assets that were not downloaded, or were evicted.
    public var hasAssetsElsewhere: Bool { true }

    /// The wrapped store's storage for bytes outside its rows.
    public var assets: any AssetStorage {
        options.isReadOnly ? ReadOnlyAssets(backing.assets, refusal: options.readOnlyError) : backing.assets
    }
}
