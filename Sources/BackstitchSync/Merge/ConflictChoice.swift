package import Backstitch

/// The decision about one property.
package enum ConflictChoice: Sendable, Equatable {
    /// The value of one side.
    case side(SyncConflict.Side)
    /// The server's value, and this side's in a copy of the object.
    case both
    /// A new value from a resolver.
    case value(Value)
}
