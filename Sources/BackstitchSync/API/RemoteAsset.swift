public import Backstitch

/// Bytes of an attribute with external storage that are on the server only; see
/// ``SyncController/remoteAssets(of:)``.
public struct RemoteAsset: Sendable, Hashable {
    /// The object.
    public var objectID: ObjectID
    /// The attribute.
    public var key: String
    /// Its bytes, as the record says.
    public var size: Int64

    /// An asset that is on the server.
    public init(objectID: ObjectID, key: String, size: Int64) {
        self.objectID = objectID
        self.key = key
        self.size = size
    }
}
