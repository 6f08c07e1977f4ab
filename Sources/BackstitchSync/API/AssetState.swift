import Backstitch

/// The place and the transfer state of the bytes of an attribute with external storage.
public enum AssetState: Sendable, Hashable {
    /// There are no bytes: the attribute is nil.
    case absent
    /// The bytes are on the server only. The size is in bytes.
    case remote(size: Int64)
    /// The bytes are being downloaded. The fraction says how much is done, from 0 to 1.
    case downloading(fraction: Double)
    /// The bytes are on this device.
    case local(size: Int64)
    /// The bytes are on this device and are being uploaded. The fraction says how much the server has, from 0 to 1. It
    /// stays 0 for bytes that are sent in one piece.
    case uploading(size: Int64, fraction: Double)
    /// A download or an upload failed, with the reason given. After a failed download the bytes are on the server only;
    /// see ``SyncAssets/missing()``. After a failed upload the bytes are on this device, and their change is
    /// blocked; see ``SyncBlocked/changes()``.
    case failed(AssetTransferDirection, size: Int64, reason: String)
    /// The bytes would be transferred, but the program has paused the transfer; see
    /// ``SyncAssets/pause(_:of:)``.
    case paused(AssetTransferDirection, size: Int64)
}
