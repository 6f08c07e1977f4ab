import Backstitch
import BackstitchSQL
import BackstitchSupport
import CloudWire

/// Keeping up indexes for queries, making them piece by piece, and removing them. The entries of an index follow
/// the records without a call.
extension ZoneTransaction {
    /// Updates the zone's indexes for written records.
    ///
    /// - Parameter areNew: Whether none of the records had entries before.
    /// - Throws: BAD_REQUEST "limit exceeded" if they have more entries than one request may write.
    func index(_ records: [StoredRecord], in zone: StoredZone, areNew: Bool) throws {
        let known = try knownQueryIndexes(zone)
        var indexes = known.filter { $0.state != .dropped }
        guard !indexes.isEmpty, !records.isEmpty else { return }
        var added: [Entry] = []
        // Grouped by type, because a zone may have many indexes of other types.
        let byType = Dictionary(grouping: indexes) { ByteText($0.index.type) }
        for record in records {
            added += try entries(of: record, byType[ByteText(record.type ?? "")] ?? [])
            guard added.count <= QueryLimits.entries else { throw Self.tooManyEntries }
        }
        if !areNew {
            for index in try dropLargest(indexes, of: zone, among: records) {
                indexes.removeAll { $0.number == index }
                added.removeAll { $0.number == index }
            }
            try removeEntries(of: records, in: zone, sparesDropped: indexes.count < known.count)
        }
        try insertEntries(added, in: zone)
    }

    private static let tooManyEntries = WireError(
        .badRequest,
        "\(WireError.limitExceededPrefix): the records of the request have more than \(QueryLimits.entries) entries in "
            + "the indexes of queries; change fewer at a time")

    /// Gives up the indexes with the most entries of changing records, if the request would remove too many entries.
    ///
    /// The next query of the same shape makes such an index again, piece by piece. Refusing the request is not
    /// possible: a deletion may take many records along.
    ///
    /// - Returns: The numbers of the dropped indexes.
    private func dropLargest(
        _ indexes: [StoredQueryIndex], of zone: StoredZone, among records: [StoredRecord]
    ) throws -> [Int64] {
        let most = indexes.reduce(0) { $0 + ($1.index.hasParts ? QueryLimits.parts : 1) } * records.count
        guard most > QueryLimits.entries else { return [] }
        let isOfRecord: SQLText = "tenant_id = \(zone.tenantID) AND record = wanted AND zone_id = \(zone.zoneID)"
        let counts = try all(
            """
            SELECT number, count(*)
            FROM \(texts: try list(records.map(\.name)))\(lookUp: "query_entry", where: isOfRecord)
            GROUP BY number
            """
        ) { (number: $0.int(0), entries: Int($0.int(1))) }
        let kept = counts.filter { count in indexes.contains { $0.number == count.number } }
        var left = kept.reduce(0) { $0 + $1.entries }
        var dropped: [Int64] = []
        for (number, entries) in kept.sorted(by: { $0.entries > $1.entries }) where left > QueryLimits.entries {
            for index in indexes where index.number == number { try drop(index, of: zone) }
            dropped.append(number)
            left -= entries
        }
        return dropped
    }

    /// Removes the entries of records.
    ///
    /// - Parameter sparesDropped: Whether the zone has dropped indexes. Their entries are left to the later removal.
    private func removeEntries(
        of records: [StoredRecord], in zone: StoredZone, sparesDropped: Bool
    ) throws {
        let types: [SQLBulkType] = [.integer, .integer, .text]
        let builder = SQLBulkBuilder(dialect, sparesDropped ? types + [.integer, .integer] : types)
        let ofRecord = [
            "tenant_id = \(builder.value(0))", "zone_id = \(builder.value(1))", "record = \(builder.value(2))",
        ]
        let isKept =
            sparesDropped
            ? [
                """
                number NOT IN (SELECT number FROM query_index WHERE tenant_id = \(builder.value(3))
                    AND zone_id = \(builder.value(4)) AND state = \(StoredQueryIndex.State.dropped.rawValue))
                """
            ] : []
        let removal = builder.delete(
            from: "query_entry", where: (ofRecord + isKept).joined(separator: " AND "))
        try runEach(removal, count: records.count) { place, parameters in
            parameters.bind(zone.tenantID, at: 1)
            parameters.bind(zone.zoneID, at: 2)
            parameters.bind(records[place].name, at: 3)
            guard sparesDropped else { return }
            parameters.bind(zone.tenantID, at: 4)
            parameters.bind(zone.zoneID, at: 5)
        }
    }

    private typealias Entry = (number: Int64, key: [UInt8], record: String)

    /// The entries of a record, or none for a deleted one.
    ///
    /// - Parameter indexes: The indexes of the record's type.
    private func entries(of record: StoredRecord, _ indexes: [StoredQueryIndex]) throws -> [Entry] {
        guard !record.deleted, !indexes.isEmpty else { return [] }
        let needsFields = indexes.contains { $0.index.needsFields }
        let fields = needsFields ? try WireRecord.Fields(json: record.fields).values : [:]
        var parts = QueryIndex.KnownParts()
        return indexes.flatMap { index in
            index.index.keys(of: record, fields, &parts).map { (index.number, $0, record.name) }
        }
    }

    /// Adds entries by one statement. Entries that exist are left as they are.
    private func insertEntries(_ entries: [Entry], in zone: StoredZone) throws {
        let statement = SQLBulkBuilder(dialect, [.integer, .integer, .integer, .bytes, .text]).insert(
            into: "query_entry", ["tenant_id", "zone_id", "number", "key", "record"], " ON CONFLICT DO NOTHING")
        try runEach(statement, count: entries.count) { place, parameters in
            parameters.bind(zone.tenantID, at: 1)
            parameters.bind(zone.zoneID, at: 2)
            parameters.bind(entries[place].number, at: 3)
            parameters.bind(entries[place].key, at: 4)
            parameters.bind(entries[place].record, at: 5)
        }
    }

    /// Makes an index without entries for a locked zone.
    func makeQueryIndex(
        _ index: QueryIndex, in zone: StoredZone, by maker: QueryIndexOwner, used: Int64
    ) throws -> StoredQueryIndex {
        let number = try changed(
            """
            UPDATE zone SET query_indexes = query_indexes + 1
            WHERE tenant_id = \(zone.tenantID) AND zone_id = \(zone.zoneID) RETURNING query_indexes
            """
        ) { $0.int(0) }.first
        guard let number else { throw WireError(.internalError, "zone '\(zone.name)' was locked, but is missing") }
        let made = StoredQueryIndex(
            number: number, index: index, state: .making, filled: "", used: used, maker: maker)
        try execute(
            """
            INSERT INTO query_index (tenant_id, zone_id, number, type, components, state, filled, used, maker)
            VALUES (\(zone.tenantID), \(zone.zoneID), \(number), \(index.type), \(index.text), \(made.state.rawValue),
                \(made.filled), \(used), \(maker.name))
            """)
        return made
    }

    /// Adds entries for further records of a locked zone to an index, and returns the changed index.
    func fill(_ index: StoredQueryIndex, of zone: StoredZone, names: Int, bytes: Int) throws -> StoredQueryIndex {
        let inZone: SQLText = "tenant_id = \(zone.tenantID) AND zone_id = \(zone.zoneID)"
        // Names of all types are counted, so a piece stays short even if the type is rare.
        let end = try one(
            """
            SELECT name FROM record WHERE \(inZone) AND name > \(index.filled)
            ORDER BY name LIMIT 1 OFFSET \(names - 1)
            """
        ) { $0.text(0) }
        let isUpToEnd: SQLText = end.map { "AND name <= \($0)" } ?? ""
        let rows: SQLText = """
            SELECT \(names: recordColumns) FROM record
            WHERE \(inZone) AND name > \(index.filled) \(isUpToEnd) AND type = \(index.index.type) AND deleted = 0
            ORDER BY name
            """
        var left = bytes, found: [Entry] = [], last = ""
        var isCut = false
        try forEachRow(of: rows, inPortionsOf: Self.portionOfRecords) { row in
            guard left > 0, found.count < QueryLimits.entriesOfPiece else {
                isCut = true
                return false
            }
            let record = try self.record(row, of: zone)
            left -= record.weight
            last = record.name
            found += try entries(of: record, [index])
            return true
        }
        try insertEntries(found, in: zone)
        var next = index
        if isCut { next.filled = last } else if let end { next.filled = end } else { next.state = .whole }
        try execute(
            """
            UPDATE query_index SET state = \(next.state.rawValue), filled = \(next.filled)
            WHERE \(inZone) AND number = \(index.number)
            """)
        return next
    }

    /// Notes the time at which a query used an index.
    func touch(_ index: StoredQueryIndex, of zone: StoredZone, used: Int64) throws {
        try execute(
            """
            UPDATE query_index SET used = \(used) WHERE tenant_id = \(zone.tenantID) AND zone_id = \(zone.zoneID)
                AND number = \(index.number) AND used < \(used) AND state <> \(StoredQueryIndex.State.dropped.rawValue)
            """)
    }

    /// Stops keeping up an index of a locked zone. Its entries are removed later.
    func drop(_ index: StoredQueryIndex, of zone: StoredZone) throws {
        try execute(
            """
            UPDATE query_index SET state = \(StoredQueryIndex.State.dropped.rawValue), used = 0
            WHERE tenant_id = \(zone.tenantID) AND zone_id = \(zone.zoneID) AND number = \(index.number)
            """)
    }

    /// Removes a piece of the indexes that no query has used since `time`; false when none is left.
    func removeQueryIndexes(unusedSince time: Int64, _ piece: RemovalPiece) throws -> Bool {
        let key = try one(
            "SELECT tenant_id, zone_id, number FROM query_index WHERE used < \(time) ORDER BY used LIMIT 1"
        ) { ($0.int(0), $0.int(1), $0.int(2)) }
        guard let key else { return false }
        let inZone: SQLText = "tenant_id = \(key.0) AND zone_id = \(key.1)"
        // A writer of records takes the same lock, and keeps up every index unless it is dropped.
        if hasOtherWriters { _ = try one("SELECT 1 FROM zone WHERE \(inZone)\(lock: .noKeyUpdate)") { _ in true } }
        let dropped = StoredQueryIndex.State.dropped.rawValue
        try execute(
            """
            UPDATE query_index SET state = \(dropped), used = 0
            WHERE \(inZone) AND number = \(key.2) AND used < \(time)
            """)
        // A query may have used it in the meantime.
        let isDropped = try one(
            "SELECT 1 FROM query_index WHERE \(inZone) AND number = \(key.2) AND state = \(dropped)"
        ) { _ in true }
        guard isDropped != nil else { return true }
        let removed = try execute(
            """
            DELETE FROM query_entry WHERE \(inZone) AND number = \(key.2) AND (key, record) IN (
                SELECT key, record FROM query_entry WHERE \(inZone) AND number = \(key.2) LIMIT \(piece.rows))
            """)
        if removed == 0 { try execute("DELETE FROM query_index WHERE \(inZone) AND number = \(key.2)") }
        return true
    }
}
