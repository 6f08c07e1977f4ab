import GRDB

extension SQLiteTransaction {
    func usage(tenantID: Int64, user: String) throws -> StoredUsage {
        try one(
            "SELECT records, bytes, answers, answer_bytes FROM usage WHERE tenant_id = ? AND user = ?",
            [tenantID, user]
        ) { StoredUsage(records: $0[0], bytes: $0[1], answers: $0[2], answerBytes: $0[3]) } ?? StoredUsage()
    }

    func privateDatabases(of user: String) throws -> Int {
        try one(
            "SELECT count(*) FROM owner WHERE name = ? AND scope = ?", [user, DatabaseScope.private.rawValue]
        ) { $0[0] as Int } ?? 0
    }

    func zoneCount(_ owner: StoredOwner) throws -> (live: Int, all: Int) {
        try one(
            "SELECT count(*) FILTER (WHERE state = 0), count(*) FROM zone WHERE tenant_id = ? AND owner_id = ?",
            [owner.tenantID, owner.ownerID]
        ) { ($0[0] as Int, $0[1] as Int) } ?? (0, 0)
    }

    func removeOldestAnswers(tenantID: Int64, user: String, count: Int) throws {
        try execute(
            """
            DELETE FROM answer WHERE rowid IN (
                SELECT rowid FROM answer WHERE tenant_id = ? AND user = ? ORDER BY created LIMIT ?)
            """, [tenantID, user, count])
    }
}

/// The tables and triggers that count what each user has. The database counts, so that no way of changing a table is
/// forgotten, and a look at what a user has is a look at one row.
enum UsageSchema {
    static let statements = [
        """
        CREATE TABLE usage (
            tenant_id INTEGER NOT NULL, user TEXT NOT NULL, records INTEGER NOT NULL DEFAULT 0,
            bytes INTEGER NOT NULL DEFAULT 0, answers INTEGER NOT NULL DEFAULT 0,
            answer_bytes INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (tenant_id, user)
        ) STRICT, WITHOUT ROWID
        """,
        // The user whose room an asset takes, and how much.
        "ALTER TABLE asset_use ADD COLUMN user TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE asset_use ADD COLUMN size INTEGER NOT NULL DEFAULT 0",
        """
        UPDATE asset_use SET
            size = coalesce((SELECT size FROM asset
                WHERE asset.tenant_id = asset_use.tenant_id AND asset.checksum = asset_use.checksum), 0),
            user = coalesce((SELECT created_by FROM record WHERE record.tenant_id = asset_use.tenant_id
                AND record.zone_id = asset_use.zone_id AND record.name = asset_use.record), '')
        """,
        """
        INSERT INTO usage (tenant_id, user, records, bytes, answers, answer_bytes)
        SELECT tenant_id, user, sum(records), sum(bytes), sum(answers), sum(answer_bytes) FROM (
            SELECT tenant_id, created_by AS user, count(*) FILTER (WHERE NOT deleted) AS records,
                sum(length(fields) + \(overhead)) AS bytes, 0 AS answers, 0 AS answer_bytes
            FROM record GROUP BY tenant_id, created_by
            UNION ALL SELECT tenant_id, user, 0, sum(size), 0, 0 FROM asset_use GROUP BY tenant_id, user
            UNION ALL SELECT tenant_id, user, 0, 0, count(*), sum(length(response)) FROM answer GROUP BY tenant_id, user)
        GROUP BY tenant_id, user
        """,
        "CREATE INDEX owner_name ON owner (name, scope)",
        "CREATE INDEX answer_user ON answer (tenant_id, user, created)",
        trigger("record_made", "INSERT ON record", [add("new", "created_by", "NOT new.deleted", recordBytes("new"))]),
        trigger("record_gone", "DELETE ON record", [take("old", "created_by", "NOT old.deleted", recordBytes("old"))]),
        trigger(
            "record_changed", "UPDATE OF fields, deleted ON record WHEN old.created_by = new.created_by",
            [
                add(
                    "new", "created_by", "old.deleted - new.deleted", "length(new.fields) - length(old.fields)")
            ]),
        trigger(
            "record_given", "UPDATE OF created_by ON record WHEN old.created_by <> new.created_by",
            [
                take("old", "created_by", "NOT old.deleted", recordBytes("old")),
                add("new", "created_by", "NOT new.deleted", recordBytes("new")),
            ]),
        trigger("asset_use_made", "INSERT ON asset_use", [add("new", "user", "0", "new.size")]),
        trigger("asset_use_gone", "DELETE ON asset_use", [take("old", "user", "0", "old.size")]),
        trigger("answer_kept", "INSERT ON answer", [add("new", "user", "0", "0", "1", "length(new.response)")]),
        trigger("answer_gone", "DELETE ON answer", [take("old", "user", "0", "0", "1", "length(old.response)")]),
    ]

    /// Bytes that a record takes beside its fields: names, stamps, and their place in indexes.
    private static let overhead = 400

    private static func recordBytes(_ row: String) -> String { "length(\(row).fields) + \(overhead)" }

    private static func trigger(_ name: String, _ event: String, _ actions: [String]) -> String {
        "CREATE TRIGGER \(name) AFTER \(event) BEGIN \(actions.joined()) END"
    }

    private static func add(
        _ row: String, _ user: String, _ records: String, _ bytes: String, _ answers: String = "0",
        _ answerBytes: String = "0"
    ) -> String {
        """
        INSERT INTO usage (tenant_id, user, records, bytes, answers, answer_bytes)
        VALUES (\(row).tenant_id, \(row).\(user), \(records), \(bytes), \(answers), \(answerBytes))
        ON CONFLICT (tenant_id, user) DO UPDATE SET records = records + excluded.records, bytes = bytes + excluded.bytes,
            answers = answers + excluded.answers, answer_bytes = answer_bytes + excluded.answer_bytes;
        """
    }

    private static func take(
        _ row: String, _ user: String, _ records: String, _ bytes: String, _ answers: String = "0",
        _ answerBytes: String = "0"
    ) -> String {
        """
        UPDATE usage SET records = records - (\(records)), bytes = bytes - (\(bytes)),
            answers = answers - (\(answers)), answer_bytes = answer_bytes - (\(answerBytes))
        WHERE tenant_id = \(row).tenant_id AND user = \(row).\(user);
        """
    }
}
