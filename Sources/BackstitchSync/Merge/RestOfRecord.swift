import Backstitch

/// The changes of a record outside the values of its properties.
package struct RestOfRecord: Sendable, Equatable {
    /// Whether the object has left its zone, or is to leave it: a move is a user's change.
    package var isMoved = false
    /// Whether its encrypted values use other keys than before.
    package var isUnderOtherKeys = false
    /// Whether the server has gone back to an earlier state since the known version. A device may have sent the record
    /// again.
    package var isFromLaterHistory = false
    /// Whether fields have changed that are not in this version's model.
    package var hasOtherChanges = false

    /// Creates a state without changes.
    package init() {}
}
