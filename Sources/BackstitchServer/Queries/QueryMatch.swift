import CloudWire

/// A record that an answer may hold, with its place in the order.
struct QueryMatch: Sendable {
    var position: QueryPosition
    var zone: StoredZone
    var record: StoredRecord
}
