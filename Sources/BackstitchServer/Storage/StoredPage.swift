import BackstitchSupport
import CloudWire

/// A page of a zone's feed, read with the zone's head from one snapshot.
struct StoredPage: Sendable {
    var zone: StoredZone
    var records: [StoredRecord]
    var moreComing: Bool
    /// The point in the feed that the page has reached, where that is not the sequence of its last record.
    var reached: Int64?
    /// The shares whose records, or roots, are among them.
    var shares: [StoredShare] = []
}
