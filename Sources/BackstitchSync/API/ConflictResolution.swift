public import Backstitch

/// A resolver's decision about a conflict.
public enum ConflictResolution: Sendable, Hashable {
    /// The server's change stays, as under the policy of that name.
    case serverWins
    /// The change here stays, as under the policy of that name.
    case clientWins
    /// These values take the place of both sides', here and on the server. Only for ``SyncConflict/Kind/edits``; keys
    /// that are left out go by the policy.
    case values([String: Value])
    /// Both stay: the object has the server's values, and a new object, a copy of it with a key of its own, has those
    /// that were saved here; what is not in conflict both have. ``SyncConflict/copy`` names it.
    ///
    /// ```swift
    /// "Note": { _ in .keepBoth }
    /// ```
    /// The copy has the object's attributes and the links that lead from it, but for relationships whose other end may
    /// have one object only, and for assets whose bytes are not on this device. Objects that lead to it, its children
    /// for instance, stay with the original. Of a deletion and an edit the edit stays. For an entity with unique
    /// constraints or a natural key there can be no copy: the change here is blocked with that reason.
    case keepBoth
    /// As the store's policy has it.
    case policy
}
