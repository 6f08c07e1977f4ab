public import Backstitch

extension StoreType {
    /// A store that wraps another one and syncs it with a zone server; see ``SyncStore``.
    public static let sync: StoreType = "Sync"
}
