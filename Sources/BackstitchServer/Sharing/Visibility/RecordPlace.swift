import CloudWire

/// The place of a record in the hierarchy of parents.
struct RecordPlace: Sendable, Hashable {
    var name: String
    var parent: String?
    var flags: StoredRecord.Flags
    /// The maximum bytes of the record in an answer.
    var weight: Int
}
