import Backstitch
import BackstitchSQL
import BackstitchSupport
import CloudWire

/// Keeping up indexes for queries, making them piece by piece, and removing them. The entries of an index follow
/// the records without a call.
extension ZoneTransaction {
    /// Updates the zone's indexes for written records.
    ///
    /// - Parameters:
    ///   - areNew: Whether none of the records had entries before.
    ///   - work: What is known of the entries. It may leave records out. Then the transaction must be undone.
    /// - Throws: BAD_REQUEST "limit exceeded" if they have more entries than one request may write.
    func index(_ records: [StoredRecord], in zone: StoredZone, areNew: Bool, _ work: QueryKeyWork) throws {
        let known = try knownQueryIndexes(zone)
        var indexes = known.filter { $0.state != .dropped }
        guard !indexes.isEmpty, !records.isEmpty else { return }
        var added: [Entry] = []
        // Grouped by type, because a zone may have many indexes of other types.
        let byType = Dictionary(grouping: indexes) { ByteText($0.index.type) }
        var bytes = 0
        for record in records where !record.deleted {
            guard let ofType = byType[ByteText(record.type ?? "")],
                let found = try work.keys(of: record, in: zone, for: ofType)
            else { continue }
            for (index, keys) in zip(ofType, found) {
                added += keys.map { (index.number, $0, record.name) }
                bytes += keys.reduce(0) { $0 + $1.count }
            }
            guard added.count <= QueryLimits.entries, bytes <= QueryLimits.bytesOfEntries else {
                throw Self.tooManyEntries
            }
        }
        if !areNew {
            let dropped = try dropLargest(indexes, of: zone, among: records)
            indexes.removeAll { dropped.contains($0.number) }
            let kept = Set(indexes.map(\.number))
            var spans = Self.spans(of: kept, among: known.map(\.number))
            // Each span of each record is a look-up. If they are too many, the other indexes are dropped as well.
            if spans.count > 1, spans.count * records.count > QueryLimits.lookUpsOfRemoval {
                for index in indexes { try drop(index, of: zone) }
                (indexes, spans) = ([], [])
            }
            try removeEntries(of: records, in: zone, spans)
            let left = Set(indexes.map(\.number))
            added.removeAll { !left.contains($0.number) }
        }
        try insertEntries(added, in: zone)
    }

    private static let tooManyEntries = WireError(
        .badRequest,
        "\(WireError.limitExceededPrefix): the records of the request have more than \(QueryLimits.entries) entries, "
            + "or \(QueryLimits.bytesOfEntries) bytes of them, in the indexes of queries; change fewer at a time")

    /// Gives up the indexes with the most entries of changing records, if the request would remove too many entries.
    ///
    /// The next query of the same shape makes such an index again, piece by piece. Refusing the request is not
    /// possible: a deletion may take many records along.
    ///
    /// Very many entries are not counted to the end, because others wait. Then each index counts with the most entries
    /// that it can have.
    ///
    /// - Returns: The numbers of the dropped indexes.
    private func dropLargest(
        _ indexes: [StoredQueryIndex], of zone: StoredZone, among records: [StoredRecord]
    ) throws -> Set<Int64> {
        func most(_ index: StoredQueryIndex) -> Int {
            (index.index.hasParts ? QueryLimits.parts : 1) * records.count
        }
        guard indexes.reduce(0, { $0 + most($1) }) > QueryLimits.entries else { return [] }
        let isOfRecord: SQLText = "tenant_id = \(zone.tenantID) AND record = wanted AND zone_id = \(zone.zoneID)"
        let counts = try all(
            """
            SELECT number, count(*) FROM (
                SELECT number
                FROM \(texts: try list(records.map(\.name)))\(lookUp: "query_entry", where: isOfRecord)
                LIMIT \(QueryLimits.countedEntries)) AS counted
            GROUP BY number
            """
        ) { (number: $0.int(0), entries: Int($0.int(1))) }
        let isWhole = counts.reduce(0) { $0 + $1.entries } < QueryLimits.countedEntries
        let sizes = indexes.map { index in
            (index: index, entries: isWhole ? counts.first { $0.number == index.number }?.entries ?? 0 : most(index))
        }
        var left = sizes.reduce(0) { $0 + $1.entries }
        var dropped: Set<Int64> = []
        for (index, entries) in sizes.sorted(by: { $0.entries > $1.entries }) where left > QueryLimits.entries {
            try drop(index, of: zone)
            dropped.insert(index.number)
            left -= entries
        }
        return dropped
    }

    /// The spans of numbers with these indexes and none of the others.
    static func spans(of kept: Set<Int64>, among known: [Int64]) -> [ClosedRange<Int64>] {
        var spans: [ClosedRange<Int64>] = []
        var isOpen = false
        for number in known.sorted() {
            let isKept = kept.contains(number)
            if isKept, isOpen, let last = spans.popLast() {
                spans.append(last.lowerBound...number)
            } else if isKept {
                spans.append(number...number)
            }
            isOpen = isKept
        }
        return spans
    }

    /// Removes the entries of records in indexes with these numbers.
    ///
    /// The entries of dropped indexes are left to the later removal, and not even read.
    private func removeEntries(
        of records: [StoredRecord], in zone: StoredZone, _ spans: [ClosedRange<Int64>]
    ) throws {
        let builder = SQLBulkBuilder(dialect, [.integer, .integer, .text, .integer, .integer])
        let removal = builder.delete(
            from: "query_entry",
            where: "tenant_id = \(builder.value(0)) AND zone_id = \(builder.value(1)) "
                + "AND record = \(builder.value(2)) AND number >= \(builder.value(3)) AND number <= \(builder.value(4))"
        )
        try runEach(removal, count: records.count * spans.count) { place, parameters in
            let span = spans[place % spans.count]
            parameters.bind(zone.tenantID, at: 1)
            parameters.bind(zone.zoneID, at: 2)
            parameters.bind(records[place / spans.count].name, at: 3)
            parameters.bind(span.lowerBound, at: 4)
            parameters.bind(span.upperBound, at: 5)
        }
    }

    private typealias Entry = (number: Int64, key: [UInt8], record: String)

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
        // The caller bounds the bytes of a piece.
        let work = QueryKeyWork(limit: .max)
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
            found +=
                try work.keys(of: record, in: zone, for: [index]).map { $0[0].map { (index.number, $0, record.name) } }
                ?? []
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
        let removed = try removePiece(
            of: "query_entry",
            key: [.integer("tenant_id"), .integer("zone_id"), .integer("number"), .bytes("key"), .text("record")],
            where: "\(inZone) AND number = \(key.2) LIMIT \(piece.rows)")
        if removed == 0 { try execute("DELETE FROM query_index WHERE \(inZone) AND number = \(key.2)") }
        return true
    }
}
