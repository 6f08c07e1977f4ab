/// The content of a batch request's result besides the count.
public enum BatchResultType: Sendable, Hashable, CaseIterable {
    /// Nothing: the request returns when it is done, and throws when it is not.
    case status
    /// The identities of the objects that were inserted, updated or deleted.
    case objectIDs
    /// How many objects were inserted, updated or deleted.
    case count
}
