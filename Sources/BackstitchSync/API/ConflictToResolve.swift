public import Backstitch
public import Foundation

/// A conflict as a resolver sees it.
///
/// The values are those of attributes and to-one relationships (as `.object`); to-many relationships merge by
/// themselves.
public struct ConflictToResolve: Sendable, Hashable {
    /// The object.
    public var objectID: ObjectID
    /// The kind of conflict, by what the two sides have done.
    public var kind: SyncConflict.Kind
    /// The properties to decide about, in order of names; of a deletion, those that were changed here.
    public var keys: [String]
    /// The values on which both sides last agreed. Null for objects that were made on both sides; empty when the object
    /// was deleted here.
    public var base: [String: Value]
    /// The values here; empty when the object was deleted here.
    public var local: [String: Value]
    /// The server's values; empty when the record was deleted there.
    public var server: [String: Value]
    /// When the properties were last saved here, by this device's clock: which may be wrong. Nil where history does not
    /// tell any more.
    public var localDate: Date?
    /// When the server's record was last changed, by the server's clock; nil for one that is gone, and where the server
    /// does not say.
    public var serverDate: Date?
}
