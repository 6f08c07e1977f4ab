public import Backstitch
public import Foundation

/// An asset that is downloaded automatically and is not here yet.
public struct MissingAsset: Sendable, Hashable {
    /// The object that has the asset.
    public var objectID: ObjectID
    /// The name of the attribute.
    public var key: String
    /// The size that the server names, in bytes.
    public var size: Int64
    /// The number of failed downloads so far.
    public var attempts: Int
    /// The error of the last download; nil before the first try.
    public var reason: String?
    /// The time of the next try; nil for the next cycle.
    public var nextTry: Date?
}
