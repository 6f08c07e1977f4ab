/// Decides which side wins where an object was changed here and on the server, and the changes cannot both stay.
///
/// Changes of different properties never conflict: both stay, under either policy. To-many relationships merge as sets.
/// The other cases are decided so:
///
/// | server | here | `serverWins` | `clientWins` |
/// |---|---|---|---|
/// | changed a property | changed the same property to another value | the server's value | the value here |
/// | changed | deleted | the object comes back, as the server has it | the object is deleted on the server too |
/// | deleted | changed | the object is deleted here too | the object is made anew on the server, whole |
/// | deleted | deleted | deleted | deleted |
///
/// Each such case is listed in the summary of the cycle; see ``SyncConflict``. Where two words do not suffice, code
/// decides for single entities and properties; see ``ConflictResolvers``.
public enum ConflictResolutionPolicy: String, Sendable, Hashable, CaseIterable {
    /// The server's change stays.
    case serverWins
    /// The change of this store stays.
    case clientWins
}
