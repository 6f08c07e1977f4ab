/// The content of a batch request's result, in addition to the count.
public enum BatchResultType: Sendable, Hashable, CaseIterable {
    /// Nothing more: the request returns if it succeeds, and throws otherwise.
    case status
    /// The identities of the inserted, updated or deleted objects.
    case objectIDs
    /// The number of inserted, updated or deleted objects.
    case count
}
