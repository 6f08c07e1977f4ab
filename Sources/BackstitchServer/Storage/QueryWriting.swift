/// The writes that make and remove indexes. The entries of an index follow the records without a call.
protocol QueryWriting: QueryReading {
    /// Makes an index without entries for a locked zone.
    func makeQueryIndex(
        _ index: QueryIndex, in zone: StoredZone, by maker: QueryMaker, used: Int64
    ) throws -> StoredQueryIndex
    /// Adds entries for further records of a locked zone to an index, and returns the changed index.
    func fill(_ index: StoredQueryIndex, of zone: StoredZone, names: Int, bytes: Int) throws -> StoredQueryIndex
    /// Notes the time at which a query used an index.
    func touch(_ index: StoredQueryIndex, of zone: StoredZone, used: Int64) throws
    /// Stops keeping up an index of a locked zone. Its entries are removed later.
    func drop(_ index: StoredQueryIndex, of zone: StoredZone) throws
    /// Removes a piece of the indexes that no query has used since `time`; false when none is left.
    func removeQueryIndexes(unusedSince time: Int64, _ piece: RemovalPiece) throws -> Bool
}
