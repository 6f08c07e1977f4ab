public import Backstitch
public import Foundation

/// A conflict as a resolver sees it.
///
/// The values are those of attributes and to-one relationships (as `.object`). To-many relationships are merged without
/// a resolver.
public struct ConflictToResolve: Sendable, Hashable {
    /// The object that is in conflict.
    public var objectID: ObjectID
    /// The kind of conflict: both edited it, or one side deleted it.
    public var kind: SyncConflict.Kind
    /// The properties to decide about, in order of names. For a deletion: the properties that were changed here.
    public var keys: [String]
    /// The last values that both sides had in common. Null for objects that were created on both sides; empty if the
    /// object was deleted here.
    public var base: [String: Value]
    /// The values here; empty if the object was deleted here.
    public var local: [String: Value]
    /// The server's values; empty if the record was deleted there.
    public var server: [String: Value]
    /// The time of the last save of these properties here, by this device's clock, which may be wrong. Nil if history
    /// no longer has it.
    public var localDate: Date?
    /// The time of the record's last change, by the server's clock. Nil if the record is deleted or the server does not
    /// send it.
    public var serverDate: Date?
}
