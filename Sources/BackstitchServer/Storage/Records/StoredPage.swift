import BackstitchSupport
import CloudWire

/// A page of a zone's feed. It comes from the same snapshot as the zone's head.
struct StoredPage: Sendable {
    var zone: StoredZone
    var records: [StoredRecord]
    var moreComing: Bool
    /// The point in the feed reached by the page, if it differs from the sequence of the last record.
    var reached: Int64?
    /// The shares whose own records or roots are on the page.
    var shares: [StoredShare] = []
}
