import CloudWire
import Foundation
import GRDB

extension SQLiteTransaction {
    private static let recordColumns = """
        name, type, sequence, deleted, flags, created, created_by, created_on, modified, modified_by, parent,
        fields
        """

    private static func record(_ row: Row) throws -> StoredRecord {
        StoredRecord(
            name: row[0], type: row[1], sequence: row[2], deleted: row[3], flags: StoredRecord.Flags(rawValue: row[4]),
            created: row[5], createdBy: row[6], createdOn: row[7], modified: row[8], modifiedBy: row[9],
            parent: row[10], fields: try row.withUnsafeData(atIndex: 11) { $0.map { Array($0) } ?? [] })
    }

    func records(_ zone: StoredZone, named names: [String]) throws -> [StoredRecord?] {
        // One statement for all names: most of them are new, and asking for each by itself takes longer than storing it.
        let statement = try db.cachedStatement(
            sql: """
                SELECT \(Self.recordColumns) FROM (SELECT value AS wanted FROM json_each(?)) CROSS JOIN record
                ON tenant_id = ? AND zone_id = ? AND name = wanted
                """)
        var list = JSONWriter()
        list.beginArray()
        for name in names { list.string(name) }
        list.endArray()
        let text = String(decoding: try list.finish(), as: UTF8.self)
        var found: [ByteName: StoredRecord] = [:]
        let rows = try Row.fetchCursor(statement, arguments: [text, zone.tenantID, zone.zoneID])
        while let row = try rows.next() {
            let record = try Self.record(row)
            found[ByteName(record.name)] = record
        }
        return names.map { found[ByteName($0)] }
    }

    func insert(_ records: [StoredRecord], into zone: StoredZone) throws {
        let statement = try db.cachedStatement(
            sql: """
                INSERT INTO record (tenant_id, zone_id, \(Self.recordColumns))
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """)
        for record in records {
            statement.setUncheckedArguments([zone.tenantID, zone.zoneID, record.name] + Self.arguments(record))
            try statement.execute()
        }
    }

    func update(_ records: [StoredRecord], in zone: StoredZone) throws {
        let statement = try db.cachedStatement(
            sql: """
                UPDATE record SET type = ?, sequence = ?, deleted = ?, flags = ?, created = ?, created_by = ?,
                    created_on = ?, modified = ?, modified_by = ?, parent = ?, fields = ?
                WHERE tenant_id = ? AND zone_id = ? AND name = ?
                """)
        for record in records {
            statement.setUncheckedArguments(Self.arguments(record) + [zone.tenantID, zone.zoneID, record.name])
            try statement.execute()
        }
    }

    private static func arguments(_ record: StoredRecord) -> StatementArguments {
        [
            record.type, record.sequence, record.deleted, record.flags.rawValue, record.created, record.createdBy,
            record.createdOn, record.modified, record.modifiedBy, record.parent, Data(record.fields),
        ]
    }

    func page(_ zone: StoredZone, _ query: FeedQuery) throws -> StoredPage {
        // The transaction's snapshot gives head and rows together; a head from elsewhere would skip commits.
        let direction = query.reverse ? "DESC" : "ASC"
        let statement = try db.cachedStatement(
            sql: """
                SELECT \(Self.recordColumns) FROM record WHERE tenant_id = ? AND zone_id = ?
                AND sequence \(query.reverse ? "<" : ">") ? ORDER BY sequence \(direction)
                """)
        var pager = FeedPager(limit: query.limit, bytes: query.bytes)
        let rows = try Row.fetchCursor(statement, arguments: [zone.tenantID, zone.zoneID, query.cursor])
        while let row = try rows.next(), pager.take(try Self.record(row)) {}
        return StoredPage(zone: zone, records: pager.records, moreComing: pager.moreComing)
    }

    func references(_ zone: StoredZone, to target: String) throws -> [StoredReference] {
        try all(
            "SELECT source, action FROM reference WHERE tenant_id = ? AND zone_id = ? AND target = ?",
            [zone.tenantID, zone.zoneID, target]
        ) { StoredReference(source: $0[0], target: target, action: .init(rawValue: $0[1]) ?? .none) }
    }

    func setReferences(_ zone: StoredZone, from source: String, _ references: [StoredReference]) throws {
        try execute(
            "DELETE FROM reference WHERE tenant_id = ? AND zone_id = ? AND source = ?",
            [zone.tenantID, zone.zoneID, source])
        for reference in references {
            try execute(
                """
                INSERT INTO reference (tenant_id, zone_id, target, source, action) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT DO NOTHING
                """, [zone.tenantID, zone.zoneID, reference.target, source, reference.action.rawValue])
        }
    }

    func removeTombstones(deletedBefore time: Int64, limit: Int) throws -> Int {
        let old = "SELECT rowid FROM record WHERE deleted = 1 AND modified < ? ORDER BY modified LIMIT ?"
        try execute(
            """
            UPDATE zone SET floor = max(floor, (
                SELECT max(sequence) FROM record WHERE record.tenant_id = zone.tenant_id
                    AND record.zone_id = zone.zone_id AND rowid IN (\(old))))
            WHERE (tenant_id, zone_id) IN (SELECT tenant_id, zone_id FROM record WHERE rowid IN (\(old)))
            """, [time, limit, time, limit])
        try execute("DELETE FROM record WHERE rowid IN (\(old))", [time, limit])
        return db.changesCount
    }

    /// Removes all tombstones, old or not; nobody's token from before can be honoured after it.
    func forgetTombstones() throws { try execute("DELETE FROM record WHERE deleted = 1", []) }
}
