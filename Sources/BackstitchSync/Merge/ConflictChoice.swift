package import Backstitch

/// The decision about one property.
package enum ConflictChoice: Sendable, Equatable {
    /// A side's value.
    case side(SyncConflict.Side)
    /// The server's value, and this side's in a copy of the object.
    case both
    /// A value of its own.
    case value(Value)
}
