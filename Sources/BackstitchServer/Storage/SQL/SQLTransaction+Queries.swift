import BackstitchSQL

extension SQLTransaction {
    func queryIndexes(_ zone: StoredZone) throws -> [StoredQueryIndex] {
        guard zone.queryIndexes > 0 else { return [] }
        let dropped = StoredQueryIndex.State.dropped.rawValue
        return try all(
            """
            SELECT number, type, components, state, filled, used FROM query_index
            WHERE tenant_id = \(zone.tenantID) AND zone_id = \(zone.zoneID) AND state <> \(dropped) ORDER BY number
            """
        ) { row -> StoredQueryIndex? in
            guard let index = QueryIndex(type: row.text(1), text: row.text(2)),
                let state = StoredQueryIndex.State(rawValue: Int(row.int(3)))
            else { return nil }
            return StoredQueryIndex(
                number: row.int(0), index: index, state: state, filled: row.text(4), used: row.int(5))
        }.compactMap { $0 }
    }

    func queryEntries(
        _ zone: StoredZone, _ index: StoredQueryIndex, _ span: QuerySpan, limit: Int
    ) throws -> [StoredQueryEntry] {
        try all(queryEntriesText(zone, index, span, limit: limit)) { row in
            StoredQueryEntry(key: row.bytes(Self.recordColumnCount), record: Self.record(row))
        }
    }

    /// The entries are counted off before their records are looked up, so that no database reads more of them.
    func queryEntriesText(_ zone: StoredZone, _ index: StoredQueryIndex, _ span: QuerySpan, limit: Int) -> SQLText {
        let order = span.isBackward ? "DESC" : "ASC"
        let part: SQLText =
            span.isBackward
            ? "(key, record) < (\(span.key), \(span.name)) AND key >= \(span.end)"
            : "(key, record) > (\(span.key), \(span.name)) AND key < \(span.end)"
        return """
            SELECT \(names: Self.recordColumns), entry.key FROM (
                SELECT key, record FROM query_entry
                WHERE tenant_id = \(zone.tenantID) AND zone_id = \(zone.zoneID) AND number = \(index.number)
                    AND \(part)
                ORDER BY key \(names: order), record \(names: order) LIMIT \(limit)
            ) AS entry JOIN record ON tenant_id = \(zone.tenantID) AND zone_id = \(zone.zoneID) AND name = entry.record
            ORDER BY entry.key \(names: order), entry.record \(names: order)
            """
    }
}
