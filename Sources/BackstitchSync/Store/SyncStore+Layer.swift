public import Backstitch

extension SyncStore: StoreLayer {
    /// The wrapped store, which has all requests that sync does not care about.
    package var base: any PersistentStore { backing }

    /// The wrapped store: its history is that of this one.
    public var journal: (any JournalingStore)? { backing }

    /// Always: the server has those that were not downloaded, or were evicted.
    public var hasAssetsElsewhere: Bool { true }

    /// Where the wrapped store keeps bytes outside its rows.
    public var assets: any AssetStorage {
        options.isReadOnly ? ReadOnlyAssets(backing.assets, refusal: options.readOnlyError) : backing.assets
    }
}
