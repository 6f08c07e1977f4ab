import BackstitchSQL
import BackstitchSupport
import CloudWire

/// Reading records by name and by sequence.
extension ZoneSnapshot {
    /// The records with these names, in the order of the names. Deleted records are included.
    ///
    /// - Parameter limit: The maximum bytes of all records together.
    /// - Throws: BAD_REQUEST "limit exceeded" if they are larger.
    func records(_ zone: StoredZone, named names: [String], limit: Int) throws -> [StoredRecord?] {
        if let access = zone.access, let parts = access.parts {
            return try records(zone, seenBy: access, parts, named: names, limit: limit)
        }
        // One statement for all names. Most names of a push are new, and a look-up of each takes longer than storing
        // it.
        let keys = names.map({ ByteText($0) })
        var found: [ByteText: StoredRecord] = [:]
        var left = limit
        func take(_ row: any SQLRow) throws {
            let record = try self.record(row, of: zone)
            left -= record.weight
            guard left >= 0 else { throw AnswerBudget.exceeded(limit) }
            found[ByteText(record.name)] = record
        }
        let asked = Self.different(keys)
        let query = try self.query(recordColumns, zone, named: asked)
        if asked.count <= Self.portionOfRecords {
            try forEachRow(of: query, take)
        } else {
            try forEachRow(of: query, inPortionsOf: Self.portionOfRecords) { row in
                try take(row)
                return true
            }
        }
        return keys.map { found[$0] }
    }

    /// The first of the records with these names, until their fields have `bytes` bytes together.
    ///
    /// The last record may exceed that. The records of further names are not read.
    func firstRecords(_ zone: StoredZone, named names: [String], bytes: Int) throws -> [StoredRecord?] {
        if let access = zone.access, let parts = access.parts {
            return try firstRecords(zone, seenBy: access, parts, named: names, bytes: bytes)
        }
        let keys = names.map({ ByteText($0) })
        var found: [ByteText: StoredRecord] = [:]
        var left = bytes
        func take(_ row: any SQLRow) -> Bool {
            let record = Self.record(row)
            left -= record.fields.count
            found[ByteText(record.name)] = record
            return left > 0
        }
        let query = try self.query(Self.allRecordColumns, zone, named: Self.different(keys))
        if dialect.isRemote {
            // The database itself adds up the sizes, because all of its answer comes over a network.
            let sized: SQLText = """
                SELECT \(names: Self.allRecordColumns) FROM (
                    SELECT *, sum(length(fields)) OVER (ROWS UNBOUNDED PRECEDING) - length(fields) AS before
                    FROM (\(query)) AS found) AS sized
                WHERE before < \(bytes)
                """
            try forEachRow(of: sized) { _ = take($0) }
        } else {
            try forEachRow(of: query, inPortionsOf: Self.portionOfRecords, while: take)
        }
        guard left <= 0 else { return keys.map { found[$0] } }
        // No database promises the rows in the order of the names. After a cut, a missing name may have a record or
        // not. So the result ends before the first missing name.
        let read = keys.prefix { found[$0] != nil }
        return read.isEmpty ? try records(zone, named: Array(names.prefix(1)), limit: Int.max) : read.map { found[$0] }
    }

    /// The names without repetitions. A repeated name would be read twice.
    private static func different(_ names: [ByteText]) -> [String] {
        var rest = Set(names)
        if rest.count == names.count { return names.map(\.string) }
        return names.filter { rest.remove($0) != nil }.map(\.string)
    }

    /// The query for the records with these names in a zone.
    func query(_ columns: String, _ zone: StoredZone, named names: [String]) throws -> SQLText {
        let isNamed: SQLText = "tenant_id = \(zone.tenantID) AND zone_id = \(zone.zoneID) AND name = wanted"
        return "SELECT \(names: columns) FROM \(texts: try list(names))\(lookUp: "record", where: isNamed)"
    }

    /// The names among these that belong to live records.
    func liveNames(_ zone: StoredZone, among names: [String]) throws -> Set<ByteText> {
        if let access = zone.access, let parts = access.parts {
            return try liveNames(zone, seenBy: access, parts, among: names)
        }
        let isLive: SQLText = """
            tenant_id = \(zone.tenantID) AND zone_id = \(zone.zoneID) AND name = wanted AND deleted = 0
            """
        let found = try all("SELECT name FROM \(texts: try list(names))\(lookUp: "record", where: isLive)") {
            ByteText($0.text(0))
        }
        return Set(found)
    }

    /// The record versions after a sequence, in whole commits; see ``FeedQuery``.
    func page(_ zone: StoredZone, _ query: FeedQuery) throws -> StoredPage {
        if let access = zone.access, let parts = access.parts {
            return try page(zone, seenBy: access, parts, query)
        }
        // Head and rows come from one snapshot. A head from another one would skip commits.
        let rows: SQLText = """
            SELECT \(names: recordColumns) FROM record
            WHERE tenant_id = \(zone.tenantID) AND zone_id = \(zone.zoneID)
                AND sequence \(names: query.reverse ? "<" : ">") \(query.cursor)\(names: ZoneSchema.isInFeed(dialect))
            ORDER BY sequence \(names: query.reverse ? "DESC" : "ASC")
            """
        var pager = FeedPager(query)
        // If the answer has no more room for the zone's records, a single row is enough to report them.
        let portion = pager.room > 1 ? min(query.limit, Self.portionOfRecords) + 1 : 1
        try forEachRow(of: rows, inPortionsOf: portion) { row in
            pager.take(try record(row, of: zone))
        }
        return StoredPage(zone: zone, records: pager.records, moreComing: pager.moreComing)
    }

    /// The number of records in the feed after a sequence, counted up to `limit`.
    func recordsLeft(_ zone: StoredZone, after sequence: Int64, upTo limit: Int) throws -> Int {
        try one(
            """
            SELECT count(*) FROM (
                SELECT 1 FROM record
                WHERE tenant_id = \(zone.tenantID) AND zone_id = \(zone.zoneID)
                    AND sequence > \(sequence)\(names: ZoneSchema.isInFeed(dialect))
                LIMIT \(limit)) AS found
            """
        ) { Int($0.int(0)) } ?? 0
    }

    /// The present records for the plan of a change. Their limit is 16 MB, twice the size of a request.
    ///
    /// - Throws: BAD_REQUEST "limit exceeded" if they are larger.
    func records(_ zone: StoredZone, named names: [String]) throws -> [StoredRecord?] {
        try records(zone, named: names, limit: 16 << 20)
    }
}
