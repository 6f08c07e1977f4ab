import CloudWire

/// An entry of the log of visible records: a share shows a record, or has shown it.
struct StoredVisibility: Sendable, Hashable {
    /// The number of the share. A number below zero is news for one guest alone: the negated number of the guest's
    /// database.
    var share: Int64
    var name: String
    /// The sequence of the last change of the record, or of its visibility in the share.
    var sequence: Int64
    /// The storage's history at that change.
    var history: Int64
    /// Whether the share no longer shows the record.
    var isGone: Bool
    /// The time of that change. Deletions are forgotten after a time.
    var changed: Int64
}
