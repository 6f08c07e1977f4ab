import CloudWire

/// The place of a record among those that are parents of each other.
struct RecordPlace: Sendable, Hashable {
    var name: String
    var parent: String?
    var flags: StoredRecord.Flags
    /// Bytes that it takes in an answer, at most.
    var weight: Int
}
