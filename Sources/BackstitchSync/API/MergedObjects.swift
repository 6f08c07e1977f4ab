public import Backstitch

/// Two objects that became one. They had the same unique values, and were created on devices that did not know of each
/// other.
///
/// Every device computes the same result. The object that was created first stays, the one with the lower key. It keeps
/// its values, and takes the other object's value for each property that still has its default. Links to the other
/// object now lead to it, and its to-many relationships hold the objects of both. The other object is deleted, here and
/// everywhere.
///
/// ```swift
/// // Both devices, offline: tag.name = "craft", which is unique.
/// let summary = try await sync.sync()
/// for merge in summary.merged { print(merge.gone, "is", merge.stays, "now; lost:", merge.lostKeys) }
/// ```
public struct MergedObjects: Sendable, Hashable {
    /// The object that stays in the store.
    public var stays: ObjectID
    /// The object that is deleted.
    public var gone: ObjectID
    /// The properties with different values, in order of names. The deleted object's values are lost.
    public var lostKeys: [String]

    /// Creates the report of a merge.
    public init(stays: ObjectID, gone: ObjectID, lostKeys: [String]) {
        self.stays = stays
        self.gone = gone
        self.lostKeys = lostKeys
    }
}
