import BackstitchSupport
import CloudWire

/// The subscriptions concerned by a commit: some fire at once, and the queries of the others are still to be
/// checked.
struct ConcernedSubscriptions: Sendable {
    /// Subscriptions to zones and to databases. All of them fire.
    var fired: [FiredSubscription] = []
    /// Subscriptions to queries without a mark. Each fires only if a changed record matches its query, so the records
    /// are compared first.
    var queries: [StoredSubscription] = []
    /// The fields in which the other subscriptions to queries have marks. Those are found by the values of the records.
    var fields: [MarkedField] = []

    /// Whether records are to be compared with queries.
    var asks: Bool { !queries.isEmpty || !fields.isEmpty }

    /// The record types of the queries.
    var types: [String] { queries.compactMap(\.subscription.query?.recordType) + fields.map(\.type) }
}
