/// An index for queries, as stored for a zone.
struct StoredQueryIndex: Sendable, Hashable {
    enum State: Int, Sendable {
        /// The index has the records up to ``StoredQueryIndex/filled``, and all records changed since it was begun.
        case making = 0
        case whole = 1
        /// The index is no longer kept up, and its entries are to be removed.
        case dropped = 2
    }

    var number: Int64
    var index: QueryIndex
    var state: State
    /// The name of the last record added while the index was made.
    var filled: String
    /// The time of the last use by a query.
    var used: Int64
    var maker: QueryIndexOwner
}
