import Backstitch
import BackstitchSupport
import CloudWire

/// A page of a followed query.
struct QueriedPage: Sendable {
    var records: [WireRecord]
    /// The mark for the next page; nil at the end.
    var marker: String?
    /// The latest modification of these records (milliseconds since 1970).
    var latest: Int64
}
