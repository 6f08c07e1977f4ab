public import Backstitch

/// A resolver's decision about a conflict.
public enum ConflictResolution: Sendable, Hashable {
    /// The server's change stays, as under the policy of that name.
    case serverWins
    /// The change here stays, as under the policy of that name.
    case clientWins
    /// These values replace those of both sides, here and on the server. This case is only for
    /// ``SyncConflict/Kind/edits``. Keys that are left out are decided by the policy.
    case values([String: Value])
    /// Both changes stay. The object takes the server's values. A new object is a copy of it with a new key, and takes
    /// the values that were saved here. Both have the values that are not in conflict. ``SyncConflict/copy`` names the
    /// copy.
    ///
    /// ```swift
    /// "Note": { _ in .keepBoth }
    /// ```
    /// The copy has the object's attributes and its outgoing links. It gets no link if the other end may have one
    /// object only. It gets no asset whose bytes are not on this device. Objects that refer to the original, such as
    /// its children, keep that link. Between a deletion and an edit, the edit stays. An entity with unique constraints
    /// or a natural key cannot have a copy: the change here is then blocked, with that reason.
    case keepBoth
    /// The store's policy decides the conflict.
    case policy
}
