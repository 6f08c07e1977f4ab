/// Decides the winner if an object was changed here and on the server, and both changes cannot stay.
///
/// Changes of different properties never conflict: both stay, under either policy. To-many relationships are merged as
/// sets. The other cases are decided as follows:
///
/// | server | here | `serverWins` | `clientWins` |
/// |---|---|---|---|
/// | changed a property | changed the same property to another value | the server's value | the value here |
/// | changed | deleted | it is created again from the server's values | the object is deleted on the server too |
/// | deleted | changed | the object is deleted here too | the whole object is created again on the server |
/// | deleted | deleted | deleted | deleted |
///
/// Each such case is listed in the summary of the cycle; see ``SyncConflict``. If two policies are not enough, code can
/// decide for single entities and properties; see ``ConflictResolvers``.
public enum ConflictResolutionPolicy: String, Sendable, Hashable, CaseIterable {
    /// The server's change stays.
    case serverWins
    /// The change of this store stays.
    case clientWins
}
