public import Backstitch

/// An asset of an object, and the place of its bytes; see ``SyncAssets/states(of:where:)``.
public struct ObjectAsset: Sendable, Hashable {
    /// The object that has the asset.
    public var objectID: ObjectID
    /// The name of the attribute.
    public var key: String
    /// The size of the asset, in bytes.
    public var size: Int64
    /// The place and transfer state of the bytes.
    public var state: AssetState

    /// Creates the state of an asset.
    public init(objectID: ObjectID, key: String, size: Int64, state: AssetState) {
        self.objectID = objectID
        self.key = key
        self.size = size
        self.state = state
    }
}
