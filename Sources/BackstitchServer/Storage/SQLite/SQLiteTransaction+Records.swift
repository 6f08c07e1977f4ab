import CloudWire
import Foundation
import GRDB

extension SQLiteTransaction {
    private static let recordColumns = """
        name, type, sequence, history, deleted, flags, created, created_by, created_on, modified, modified_by, parent,
        fields
        """

    private static func record(_ row: Row) throws -> StoredRecord {
        StoredRecord(
            name: row[0], type: row[1], sequence: row[2], history: row[3], deleted: row[4],
            flags: StoredRecord.Flags(rawValue: row[5]), created: row[6], createdBy: row[7], createdOn: row[8],
            modified: row[9], modifiedBy: row[10], parent: row[11],
            fields: try row.withUnsafeData(atIndex: 12) { $0.map { Array($0) } ?? [] })
    }

    func records(_ zone: StoredZone, named names: [String], limit: Int) throws -> [StoredRecord?] {
        // One statement for all names: most of them are new, and asking for each by itself takes longer than storing
        // it.
        let statement = try db.cachedStatement(
            sql: """
                SELECT \(Self.recordColumns) FROM (SELECT value AS wanted FROM json_each(?)) CROSS JOIN record
                ON tenant_id = ? AND zone_id = ? AND name = wanted
                """)
        var found: [ByteName: StoredRecord] = [:]
        let rows = try Row.fetchCursor(statement, arguments: [try list(names), zone.tenantID, zone.zoneID])
        var left = limit
        while let row = try rows.next() {
            let record = try Self.record(row)
            // A name that is given twice comes twice.
            if found.updateValue(record, forKey: ByteName(record.name)) == nil { left -= record.weight }
            guard left >= 0 else { throw AnswerBudget.exceeded(limit) }
        }
        return names.map { found[ByteName($0)] }
    }

    func liveNames(_ zone: StoredZone, among names: [String]) throws -> Set<ByteName> {
        let found = try all(
            """
            SELECT name FROM (SELECT value AS wanted FROM json_each(?)) CROSS JOIN record
            ON tenant_id = ? AND zone_id = ? AND name = wanted WHERE deleted = 0
            """, [try list(names), zone.tenantID, zone.zoneID]
        ) { ByteName($0[0]) }
        return Set(found)
    }

    func insert(_ records: [StoredRecord], into zone: StoredZone) throws {
        let statement = try db.cachedStatement(
            sql: """
                INSERT INTO record (tenant_id, zone_id, \(Self.recordColumns))
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """)
        for record in records {
            statement.setUncheckedArguments([zone.tenantID, zone.zoneID, record.name] + Self.arguments(record))
            try statement.execute()
        }
    }

    func update(_ records: [StoredRecord], in zone: StoredZone) throws {
        let statement = try db.cachedStatement(
            sql: """
                UPDATE record SET type = ?, sequence = ?, history = ?, deleted = ?, flags = ?, created = ?, created_by = ?,
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
            record.type, record.sequence, record.history, record.deleted, record.flags.rawValue, record.created,
            record.createdBy,
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
        var pager = FeedPager(query)
        let rows = try Row.fetchCursor(statement, arguments: [zone.tenantID, zone.zoneID, query.cursor])
        while let row = try rows.next(), pager.take(try Self.record(row)) {}
        return StoredPage(zone: zone, records: pager.records, moreComing: pager.moreComing)
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
}
