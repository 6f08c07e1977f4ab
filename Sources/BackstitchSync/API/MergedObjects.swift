public import Backstitch

/// Two objects had the same unique values, made on devices that did not know of each other, and are one now.
///
/// Every device gets the same result: the object that was created first stays, that with the lower key. It keeps its
/// values, and takes those of the other one where it has none of its own (where it has the default). Links to the other
/// one lead to it, and to-many relationships have the objects of both. The other one is deleted, here and everywhere.
///
/// ```swift
/// // Both devices, offline: tag.name = "craft", which is unique.
/// let summary = try await sync.sync()
/// for merge in summary.merged { print(merge.gone, "is", merge.stays, "now; lost:", merge.lostKeys) }
/// ```
public struct MergedObjects: Sendable, Hashable {
    /// The object that is there still.
    public var stays: ObjectID
    /// The object that is deleted.
    public var gone: ObjectID
    /// The properties of which it had another value, which is lost, in order of names.
    public var lostKeys: [String]

    /// Objects that are one.
    public init(stays: ObjectID, gone: ObjectID, lostKeys: [String]) {
        self.stays = stays
        self.gone = gone
        self.lostKeys = lostKeys
    }
}
