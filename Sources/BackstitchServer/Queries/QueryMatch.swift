import CloudWire

/// A record that matches a query, with its place in the order of the answers.
struct QueryMatch: Sendable {
    var position: QueryPosition
    var zone: StoredZone
    var record: StoredRecord
}
