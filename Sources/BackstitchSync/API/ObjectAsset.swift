public import Backstitch

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
