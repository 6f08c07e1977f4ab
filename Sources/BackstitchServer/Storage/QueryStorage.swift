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

/// An entry of an index with its record.
struct StoredQueryEntry: Sendable {
    var key: [UInt8]
    var name: String
    /// Nil, which is never so unless somebody has changed the tables by hand.
    var record: StoredRecord?
}

/// The reads of queries.
protocol QueryReading {
    /// The indexes of a zone that are kept up.
    func queryIndexes(_ zone: StoredZone) throws -> [StoredQueryIndex]
    /// Entries of an index in their order, from the beginning of a span. Complexity: that of as many look-ups.
    ///
    /// - Parameter bytes: Bytes of records after which no further ones are read; `isCut` says whether that was so.
    func queryEntries(
        _ zone: StoredZone, _ index: StoredQueryIndex, _ span: QuerySpan, limit: Int, bytes: Int
    ) throws -> (entries: [StoredQueryEntry], isCut: Bool)
}

/// The writes that make indexes and remove them. Entries follow records by themselves.
protocol QueryWriting: QueryReading {
    /// A new index of a zone that is locked, without entries.
    func makeQueryIndex(
        _ index: QueryIndex, in zone: StoredZone, by maker: QueryMaker, used: Int64
    ) throws -> StoredQueryIndex
    /// Puts further records of a locked zone into an index; gives the index as it is then.
    func fill(_ index: StoredQueryIndex, of zone: StoredZone, names: Int, bytes: Int) throws -> StoredQueryIndex
    /// Notes that a query has used an index.
    func touch(_ index: StoredQueryIndex, of zone: StoredZone, used: Int64) throws
    /// No longer keeps up an index of a locked zone.
    func drop(_ index: StoredQueryIndex, of zone: StoredZone) throws
    /// Removes a piece of the indexes that no query has used since a time; false when none is left.
    func removeQueryIndexes(unusedSince time: Int64, _ piece: RemovalPiece) throws -> Bool
}
