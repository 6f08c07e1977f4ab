import CloudWire

/// An entry of the log of what participants see: a record that a share shows, or has shown.
struct StoredVisibility: Sendable, Hashable {
    /// The number of the share; below zero, that of a guest's database with another sign: news for that guest alone.
    var share: Int64
    var name: String
    /// The sequence at which the record, or whether the share shows it, last changed.
    var sequence: Int64
    /// The storage's history in which that was.
    var history: Int64
    /// Whether the share shows it no more.
    var isGone: Bool
    /// When that was; deletions are forgotten after a time.
    var changed: Int64
}
