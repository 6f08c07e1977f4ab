import Backstitch

/// The changes of a record beside those of its properties' values.
package struct RestOfRecord: Sendable, Equatable {
    /// Whether the object has left its zone, or is to leave it: a move is a user's change.
    package var isMoved = false
    /// Whether its encrypted values are under other keys than before.
    package var isUnderOtherKeys = false
    /// Whether fields have changed that are not in this version's model.
    package var hasOtherChanges = false

    /// Nothing has changed.
    package init() {}
}
