public import Backstitch

extension StoreType {
    /// A store that wraps another one and keeps it in step with a zone server; see ``SyncStore``.
    public static let sync: StoreType = "Sync"
}
