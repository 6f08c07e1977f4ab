import Backstitch

/// Where the bytes of an attribute with external storage are.
public enum AssetState: Sendable, Hashable {
    /// Nowhere: the attribute is nil.
    case absent
    /// On the server only; so many bytes.
    case remote(size: Int64)
    /// On their way here; the part that has come, from 0 to 1.
    case downloading(fraction: Double)
    /// Here.
    case local(size: Int64)
    /// Here, and on their way to the server; the part that the server has, from 0 to 1. It stays 0 for bytes that
    /// go as a whole.
    case uploading(size: Int64, fraction: Double)
    /// A download: on the server only, and the last try to get them failed for the reason given; see
    /// ``SyncController/missingAssets()``. An upload: here, and the change that has them is set aside for that reason;
    /// see ``SyncController/blockedChanges()``.
    case failed(AssetTransferDirection, size: Int64, reason: String)
    /// They would go, and do not, since the program lets transfers rest; see
    /// ``SyncController/pauseAssetTransfer(of:key:)``.
    case paused(AssetTransferDirection, size: Int64)
}
