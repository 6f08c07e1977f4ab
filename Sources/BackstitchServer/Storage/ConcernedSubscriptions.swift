import BackstitchSupport
import CloudWire

/// The subscriptions that a commit concerns.
struct ConcernedSubscriptions: Sendable {
    /// Those of zones and databases, all of which fire.
    var fired: [FiredSubscription] = []
    /// Those of queries, of which it must be found out.
    var queries: [StoredSubscription] = []
}
