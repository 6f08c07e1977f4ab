/// The reads of queries.
protocol QueryReading {
    /// The indexes of a zone that the storage keeps up to date.
    func queryIndexes(_ zone: StoredZone) throws -> [StoredQueryIndex]
    /// The entries of an index in their order, from the beginning of a span. Complexity: one look-up for each entry.
    ///
    /// - Parameter bytes: No further records are read after this many bytes; `isCut` says whether that happened.
    func queryEntries(
        _ zone: StoredZone, _ index: StoredQueryIndex, _ span: QuerySpan, limit: Int, bytes: Int
    ) throws -> (entries: [StoredQueryEntry], isCut: Bool)
}
