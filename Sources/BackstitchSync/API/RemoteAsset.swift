public import Backstitch

/// Bytes of an attribute with external storage that are on the server only; see ``SyncAssets/remote(of:)``.
public struct RemoteAsset: Sendable, Hashable {
    /// The object that has the asset.
    public var objectID: ObjectID
    /// The name of the attribute.
    public var key: String
    /// The size that the record names, in bytes.
    public var size: Int64

    /// Creates an asset that is on the server only.
    public init(objectID: ObjectID, key: String, size: Int64) {
        self.objectID = objectID
        self.key = key
        self.size = size
    }
}
