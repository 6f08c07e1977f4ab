/// An index for queries, as a zone has it.
struct StoredQueryIndex: Sendable, Hashable {
    enum State: Int, Sendable {
        /// The records up to ``StoredQueryIndex/filled`` are in it, and those that changed since it was begun.
        case making = 0
        case whole = 1
        /// Nobody keeps it up any more; its entries are to be removed.
        case dropped = 2
    }

    var number: Int64
    var index: QueryIndex
    var state: State
    /// The name of the last record that was put into it while it was made.
    var filled: String
    /// When a query has used it.
    var used: Int64
    var maker: QueryMaker
}
