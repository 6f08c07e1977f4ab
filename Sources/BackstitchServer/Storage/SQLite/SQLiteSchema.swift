import CloudWire
import GRDB

/// The tables of the SQLite storage.
///
/// Every key starts with the tenant, so that the same shape can be partitioned elsewhere. Records have a rowid: their
/// rows are wide, and the feed reads them in the order in which they were written.
enum SQLiteSchema {
    /// Marks a file as this storage ("BsZs").
    static let applicationID: Int64 = 0x4273_5A73

    /// The query for the names of all tables but that of the migrations.
    static let tablesWithContent = """
        SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'grdb%' AND name NOT LIKE 'sqlite%'
        """

    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { db in
            try db.execute(sql: "PRAGMA application_id = \(applicationID)")
            for statement in version1 { try db.execute(sql: statement) }
        }
        migrator.registerMigration("2") { db in
            for statement in version2 { try db.execute(sql: statement) }
        }
        migrator.registerMigration("3") { db in
            // Which device has made a record.
            try db.execute(
                sql: "ALTER TABLE record ADD COLUMN created_on TEXT NOT NULL DEFAULT '\(WireStamp.unnamedDevice)'")
        }
        migrator.registerMigration("emptying") { db in
            try db.execute(sql: "CREATE INDEX zone_emptying ON zone (state) WHERE state = 3")
        }
        migrator.registerMigration("history") { db in
            for statement in historyStatements { try db.execute(sql: statement) }
        }
        migrator.registerMigration("limits") { db in
            for statement in limits + UsageSchema.statements { try db.execute(sql: statement) }
            try SQLiteTransaction(db).correctAssetSizes()
        }
        return migrator
    }

    /// The indexes by which a user's rows are counted and found.
    private static let limits = [
        "CREATE INDEX subscription_user ON subscription (tenant_id, user)",
        "DROP INDEX push_token_user",
        "CREATE INDEX push_token_user ON push_token (tenant_id, user, seen)",
    ]

    /// Deletions are forgotten after a time.
    private static let version2 = [
        "ALTER TABLE zone ADD COLUMN floor INTEGER NOT NULL DEFAULT 0",
        "CREATE INDEX record_deleted ON record (modified) WHERE deleted = 1",
    ]

    /// Storages know whether they have gone back to an earlier state. Records from before have none.
    private static let historyStatements = [
        "ALTER TABLE record ADD COLUMN history INTEGER NOT NULL DEFAULT 0",
        """
        CREATE TABLE life (
            only INTEGER PRIMARY KEY CHECK (only = 1), history INTEGER NOT NULL, commits INTEGER NOT NULL
        ) STRICT
        """,
    ]

    private static let version1 = [
        "CREATE TABLE setting (name TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT, WITHOUT ROWID",
        "CREATE TABLE tenant (tenant_id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT",
        """
        CREATE TABLE owner (
            tenant_id INTEGER NOT NULL REFERENCES tenant, owner_id INTEGER NOT NULL, scope INTEGER NOT NULL,
            name TEXT NOT NULL, head INTEGER NOT NULL, epoch INTEGER NOT NULL,
            PRIMARY KEY (tenant_id, owner_id), UNIQUE (tenant_id, scope, name)
        ) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE zone (
            tenant_id INTEGER NOT NULL, zone_id INTEGER NOT NULL, owner_id INTEGER NOT NULL, name TEXT NOT NULL,
            epoch INTEGER NOT NULL, head INTEGER NOT NULL, owner_sequence INTEGER NOT NULL, state INTEGER NOT NULL,
            PRIMARY KEY (tenant_id, zone_id), UNIQUE (tenant_id, owner_id, name),
            FOREIGN KEY (tenant_id, owner_id) REFERENCES owner
        ) STRICT, WITHOUT ROWID
        """,
        "CREATE INDEX zone_feed ON zone (tenant_id, owner_id, owner_sequence)",
        """
        CREATE TABLE record (
            tenant_id INTEGER NOT NULL, zone_id INTEGER NOT NULL, name TEXT NOT NULL, type TEXT,
            sequence INTEGER NOT NULL, deleted INTEGER NOT NULL, flags INTEGER NOT NULL,
            created INTEGER NOT NULL, created_by TEXT NOT NULL, modified INTEGER NOT NULL, modified_by TEXT NOT NULL,
            parent TEXT, fields BLOB NOT NULL,
            UNIQUE (tenant_id, zone_id, name), FOREIGN KEY (tenant_id, zone_id) REFERENCES zone
        ) STRICT
        """,
        "CREATE INDEX record_feed ON record (tenant_id, zone_id, sequence)",
        """
        CREATE TABLE reference (
            tenant_id INTEGER NOT NULL, zone_id INTEGER NOT NULL, target TEXT NOT NULL, source TEXT NOT NULL,
            action TEXT NOT NULL, PRIMARY KEY (tenant_id, zone_id, target, source, action)
        ) STRICT, WITHOUT ROWID
        """,
        "CREATE INDEX reference_source ON reference (tenant_id, zone_id, source)",
        """
        CREATE TABLE asset (
            tenant_id INTEGER NOT NULL, checksum BLOB NOT NULL, size INTEGER NOT NULL, uploaded INTEGER NOT NULL,
            doubtful INTEGER NOT NULL, PRIMARY KEY (tenant_id, checksum)
        ) STRICT, WITHOUT ROWID
        """,
        // Few assets are in doubt at a time, and only they are looked at.
        "CREATE INDEX asset_doubtful ON asset (uploaded) WHERE doubtful",

        """
        CREATE TABLE asset_use (
            tenant_id INTEGER NOT NULL, zone_id INTEGER NOT NULL, record TEXT NOT NULL, field TEXT NOT NULL,
            checksum BLOB NOT NULL, PRIMARY KEY (tenant_id, zone_id, record, field, checksum),
            FOREIGN KEY (tenant_id, checksum) REFERENCES asset
        ) STRICT, WITHOUT ROWID
        """,
        "CREATE INDEX asset_use_checksum ON asset_use (tenant_id, checksum)",
        """
        CREATE TABLE subscription (
            tenant_id INTEGER NOT NULL, owner_id INTEGER NOT NULL, user TEXT NOT NULL, id TEXT NOT NULL,
            kind TEXT NOT NULL, zone TEXT, body BLOB NOT NULL, PRIMARY KEY (tenant_id, owner_id, user, id),
            FOREIGN KEY (tenant_id, owner_id) REFERENCES owner
        ) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE push_token (
            tenant_id INTEGER NOT NULL REFERENCES tenant, digest BLOB NOT NULL, user TEXT NOT NULL,
            seen INTEGER NOT NULL, PRIMARY KEY (tenant_id, digest)
        ) STRICT, WITHOUT ROWID
        """,
        "CREATE INDEX push_token_user ON push_token (tenant_id, user)",
        "CREATE INDEX push_token_seen ON push_token (seen)",
        """
        CREATE TABLE answer (
            tenant_id INTEGER NOT NULL, owner_id INTEGER NOT NULL, user TEXT NOT NULL, key TEXT NOT NULL,
            body_digest BLOB NOT NULL, response BLOB NOT NULL, created INTEGER NOT NULL,
            UNIQUE (tenant_id, owner_id, user, key)
        ) STRICT
        """,
        "CREATE INDEX answer_created ON answer (created)",
    ]
}
