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
