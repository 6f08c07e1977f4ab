import BackstitchSQL
import BackstitchSupport
import CloudWire

/// Reading records by name and by sequence.
extension SQLTransaction {
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
        let statement = try self.query(recordColumns, zone, named: asked).statement(dialect)
        if asked.count <= Self.portionOfRecords {
            try connection.forEachRow(of: statement, take)
        } else {
            try connection.forEachRow(of: statement, inPortionsOf: Self.portionOfRecords) { row in
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
            try connection.forEachRow(of: sized.statement(dialect)) { _ = take($0) }
        } else {
            try connection.forEachRow(of: query.statement(dialect), inPortionsOf: Self.portionOfRecords, while: take)
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
        try connection.forEachRow(of: rows.statement(dialect), inPortionsOf: portion) { row in
            pager.take(try record(row, of: zone))
        }
        return StoredPage(zone: zone, records: pager.records, moreComing: pager.moreComing)
    }

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
}

/// Writing records. Pushes spend most of their time here, so one statement writes all of them.
extension SQLTransaction {
    func insert(_ records: [StoredRecord], into zone: StoredZone) throws {
        let builder = SQLBulkBuilder(dialect, [.integer, .integer, .text] + Self.contentTypes)
        let statement = builder.insert(into: "record", ["tenant_id", "zone_id", "name"] + Self.contentColumns)
        try runEach(statement, count: records.count) { index, parameters in
            parameters.bind(zone.tenantID, at: 1)
            parameters.bind(zone.zoneID, at: 2)
            parameters.bind(records[index].name, at: 3)
            Self.bind(records[index], parameters, at: 4)
        }
        try self.index(records, in: zone, areNew: true)
    }

    func update(_ records: [StoredRecord], in zone: StoredZone) throws {
        let builder = SQLBulkBuilder(dialect, Self.contentTypes + [.integer, .integer, .text])
        let assignments = Self.contentColumns.enumerated().map { "\($0.element) = \(builder.value($0.offset))" }
        let key = Self.contentColumns.count
        let statement = builder.update(
            "record", set: assignments,
            where: "tenant_id = \(builder.value(key)) AND zone_id = \(builder.value(key + 1)) "
                + "AND name = \(builder.value(key + 2))")
        try runEach(statement, count: records.count) { index, parameters in
            Self.bind(records[index], parameters, at: 1)
            parameters.bind(zone.tenantID, at: key + 1)
            parameters.bind(zone.zoneID, at: key + 2)
            parameters.bind(records[index].name, at: key + 3)
        }
        try self.index(records, in: zone, areNew: false)
    }

    /// All columns outside the key.
    private static let contentColumns = [
        "type", "sequence", "history", "deleted", "flags", "created", "created_by", "created_on", "modified",
        "modified_by", "parent", "fields",
    ]
    private static let contentTypes: [SQLBulkType] = [
        .text, .integer, .integer, .integer, .integer, .integer, .text, .text, .integer, .text, .text, .bytes,
    ]

    /// Binds the values of ``contentColumns``, beginning with the parameter `first`.
    private static func bind(_ record: StoredRecord, _ parameters: any SQLBinder, at first: Int) {
        parameters.bind(record.type, at: first)
        parameters.bind(record.sequence, at: first + 1)
        parameters.bind(record.history, at: first + 2)
        parameters.bind(Int64(record.deleted ? 1 : 0), at: first + 3)
        parameters.bind(record.flags.rawValue, at: first + 4)
        parameters.bind(record.created, at: first + 5)
        parameters.bind(record.createdBy, at: first + 6)
        parameters.bind(record.createdOn, at: first + 7)
        parameters.bind(record.modified, at: first + 8)
        parameters.bind(record.modifiedBy, at: first + 9)
        parameters.bind(record.parent, at: first + 10)
        parameters.bind(record.fields, at: first + 11)
    }
}
