import BackstitchSupport
import CloudWire

/// The subscriptions concerned by a commit: some fire at once, and the queries of the others are still to be checked.
struct ConcernedSubscriptions: Sendable {
    /// Subscriptions to zones and to databases. All of them fire.
    var fired: [FiredSubscription] = []
    /// Subscriptions to queries. Each fires only if a changed record matches its query, so the records are compared
    /// first.
    var queries: [StoredSubscription] = []
}
