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

/// The outcome of a download of several assets, and how far it has got.
public struct AssetDownloads: Sendable {
    /// An asset that has not come, and why.
    public struct Failure: Sendable {
        /// The asset.
        public var asset: RemoteAsset
        /// Why it has not come.
        public var error: BackstitchError
    }

    /// How many were asked for.
    public var totalCount = 0
    /// Bytes of all that were asked for.
    public var totalSize: Int64 = 0
    /// How many have come.
    public var count = 0
    /// Bytes of those that have come.
    public var size: Int64 = 0
    /// Those that have not come, in the order in which that was found.
    public var failures: [Failure] = []
}
