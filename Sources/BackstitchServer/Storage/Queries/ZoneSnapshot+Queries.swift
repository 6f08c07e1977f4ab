import BackstitchSQL

/// Reading indexes for queries.
extension ZoneSnapshot {
    /// The indexes of a zone that the storage keeps up to date.
    func queryIndexes(_ zone: StoredZone) throws -> [StoredQueryIndex] {
        try knownQueryIndexes(zone).filter { $0.state != .dropped }
    }

    /// All indexes of a zone, including those that are no longer kept up.
    func knownQueryIndexes(_ zone: StoredZone) throws -> [StoredQueryIndex] {
        guard zone.queryIndexes > 0 else { return [] }
        return try all(
            """
            SELECT number, type, components, state, filled, used, maker FROM query_index
            WHERE tenant_id = \(zone.tenantID) AND zone_id = \(zone.zoneID) ORDER BY number
            """
        ) { row -> StoredQueryIndex? in
            guard let index = QueryIndex(type: row.text(1), text: row.text(2)),
                let state = StoredQueryIndex.State(rawValue: Int(row.int(3)))
            else { return nil }
            return StoredQueryIndex(
                number: row.int(0), index: index, state: state, filled: row.text(4), used: row.int(5),
                maker: QueryIndexOwner(name: row.text(6)))
        }.compactMap { $0 }
    }

    /// The entries of an index in their order, from the beginning of a span. Complexity: one look-up for each entry.
    ///
    /// - Parameter bytes: No further records are read after this many bytes; `isCut` says whether that happened.
    func queryEntries(
        _ zone: StoredZone, _ index: StoredQueryIndex, _ span: QuerySpan, limit: Int, bytes: Int
    ) throws -> (entries: [StoredQueryEntry], isCut: Bool) {
        let entries = try all(Self.queryEntriesText(zone, index, span, limit: limit)) { ($0.bytes(0), $0.text(1)) }
        // The records are read by a second statement. One with a join might be planned as a scan of the whole zone.
        let found = try firstRecords(zone, named: entries.map(\.1), bytes: bytes)
        return (
            zip(entries, found).map { StoredQueryEntry(key: $0.0, name: $0.1, record: $1) },
            found.count < entries.count
        )
    }

    /// The query for a piece of an index. It reads the tree of the table's key from one place on, even without
    /// statistics.
    static func queryEntriesText(
        _ zone: StoredZone, _ index: StoredQueryIndex, _ span: QuerySpan, limit: Int
    ) -> SQLText {
        let order = span.isBackward ? "DESC" : "ASC"
        let part: SQLText =
            span.isBackward
            ? "(key, record) < (\(span.key), \(span.name)) AND key >= \(span.end)"
            : "(key, record) > (\(span.key), \(span.name)) AND key < \(span.end)"
        return """
            SELECT key, record FROM query_entry
            WHERE tenant_id = \(zone.tenantID) AND zone_id = \(zone.zoneID) AND number = \(index.number) AND \(part)
            ORDER BY key \(names: order), record \(names: order) LIMIT \(limit)
            """
    }
}
