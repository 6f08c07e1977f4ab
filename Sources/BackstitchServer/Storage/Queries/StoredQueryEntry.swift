/// An entry of an index, with its record.
struct StoredQueryEntry: Sendable {
    var key: [UInt8]
    var name: String
    /// The record of the entry. It is nil only if the tables were changed by hand.
    var record: StoredRecord?
}
