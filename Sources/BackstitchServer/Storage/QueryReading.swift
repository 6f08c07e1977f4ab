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
