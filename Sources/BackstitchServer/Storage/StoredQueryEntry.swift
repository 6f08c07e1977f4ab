/// An entry of an index with its record.
struct StoredQueryEntry: Sendable {
    var key: [UInt8]
    var name: String
    /// Nil, which is never so unless somebody has changed the tables by hand.
    var record: StoredRecord?
}
