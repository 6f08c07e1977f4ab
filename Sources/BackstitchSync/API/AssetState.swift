public import Backstitch

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

/// The way on which an asset's bytes go.
public enum AssetTransferDirection: String, Sendable, Hashable, CaseIterable {
    /// From the server.
    case download
    /// To the server.
    case upload
}

/// An asset of an object, and where its bytes are; see ``SyncController/assetStates(of:where:)``.
public struct ObjectAsset: Sendable, Hashable {
    /// The object.
    public var objectID: ObjectID
    /// The attribute.
    public var key: String
    /// Its bytes.
    public var size: Int64
    /// Where they are.
    public var state: AssetState

    /// An asset.
    public init(objectID: ObjectID, key: String, size: Int64, state: AssetState) {
        self.objectID = objectID
        self.key = key
        self.size = size
        self.state = state
    }
}
