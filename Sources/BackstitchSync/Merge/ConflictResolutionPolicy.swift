package import Backstitch

/// Who wins where an object was changed here and on the server, and the changes cannot both stay.
///
/// Changes of different properties never conflict: both stay, under either policy. To-many relationships merge as sets.
/// What is left is decided so:
///
/// | server | here | `serverWins` | `clientWins` |
/// |---|---|---|---|
/// | changed a property | changed the same property to another value | the server's value | the value here |
/// | changed | deleted | the object comes back, as the server has it | the object is deleted on the server too |
/// | deleted | changed | the object is deleted here too | the object is made anew on the server, whole |
/// | deleted | deleted | deleted | deleted |
///
/// Each such case is listed in the summary of the cycle; see ``SyncConflict``.
public enum ConflictResolutionPolicy: String, Sendable, Hashable, CaseIterable {
    /// The server's change stays.
    case serverWins
    /// The change of this store stays.
    case clientWins
}

/// Decides conflicts, one at a time.
package protocol ConflictResolver: Sendable {
    /// Whose value a property of the object gets, which both sides changed.
    func winner(of conflict: PropertyConflict) -> SyncConflict.Side
    /// Whether the deletion or the edit stays.
    func winner(of kind: SyncConflict.Kind, objectID: ObjectID) -> SyncConflict.Side
}

/// A property that was changed here and on the server, to different values.
package struct PropertyConflict: Sendable {
    /// The object.
    package var objectID: ObjectID
    /// The property.
    package var key: String
    /// The value on which both sides last agreed; null when they never did.
    package var base: Value
    /// The value here.
    package var local: Value
    /// The server's value.
    package var server: Value
}

extension ConflictResolutionPolicy: ConflictResolver {
    private var side: SyncConflict.Side { self == .serverWins ? .server : .client }

    package func winner(of conflict: PropertyConflict) -> SyncConflict.Side { side }

    package func winner(of kind: SyncConflict.Kind, objectID: ObjectID) -> SyncConflict.Side { side }
}
