import BackstitchSQL

extension ZoneSchema {
    /// The tables as a database declares them.
    struct Types {
        let integer: String
        let text: String
        private let bytes: String
        private let flag: String
        private let numbered: String
        private let keyed: String
        private let counters: String
        private let wide: String
        /// The keys of records and of answers, which tables that are shared get at last; see ``shared``.
        private let recordKeys: String
        private let answerKey: String
        /// Whether several servers write at the same time.
        let isShared: Bool

        init(_ dialect: any SQLDialect) {
            integer = dialect.types.integer
            text = dialect.types.text
            bytes = dialect.types.bytes
            flag = dialect.types.flag
            numbered = dialect.numberedKey
            keyed = dialect.tableEnding(.keyed)
            counters = dialect.tableEnding(.counters)
            wide = dialect.tableEnding(.wide)
            isShared = !dialect.rowLock(.share, of: nil).isEmpty
            recordKeys =
                isShared
                ? "" : ", UNIQUE (tenant_id, zone_id, name), FOREIGN KEY (tenant_id, zone_id) REFERENCES zone"
            answerKey = isShared ? "" : ", UNIQUE (tenant_id, owner_id, \"user\", key)"
        }

        /// The tables of the first version.
        var first: [String] { zones + records + assets + users }

        private var zones: [String] {
            [
                "CREATE TABLE setting (name \(text) PRIMARY KEY, value \(bytes) NOT NULL)\(keyed)",
                "CREATE TABLE tenant (tenant_id \(numbered), name \(text) NOT NULL UNIQUE)\(wide)",
                """
                CREATE TABLE owner (
                    tenant_id \(integer) NOT NULL REFERENCES tenant, owner_id \(integer) NOT NULL,
                    scope \(integer) NOT NULL, name \(text) NOT NULL, head \(integer) NOT NULL, epoch \(integer) NOT NULL,
                    PRIMARY KEY (tenant_id, owner_id), UNIQUE (tenant_id, scope, name)
                )\(counters)
                """,
                """
                CREATE TABLE zone (
                    tenant_id \(integer) NOT NULL, zone_id \(integer) NOT NULL, owner_id \(integer) NOT NULL,
                    name \(text) NOT NULL, epoch \(integer) NOT NULL, head \(integer) NOT NULL,
                    owner_sequence \(integer) NOT NULL, state \(integer) NOT NULL,
                    PRIMARY KEY (tenant_id, zone_id), UNIQUE (tenant_id, owner_id, name),
                    FOREIGN KEY (tenant_id, owner_id) REFERENCES owner
                )\(counters)
                """,
                "CREATE INDEX zone_feed ON zone (tenant_id, owner_id, owner_sequence)",
            ]
        }

        private var records: [String] {
            [
                """
                CREATE TABLE record (
                    tenant_id \(integer) NOT NULL, zone_id \(integer) NOT NULL, name \(text) NOT NULL, type \(text),
                    sequence \(integer) NOT NULL, deleted \(integer) NOT NULL, flags \(integer) NOT NULL,
                    created \(integer) NOT NULL, created_by \(text) NOT NULL, modified \(integer) NOT NULL,
                    modified_by \(text) NOT NULL, parent \(text), fields \(bytes) NOT NULL\(recordKeys)
                )\(wide)
                """,
                "CREATE INDEX record_feed ON record (tenant_id, zone_id, sequence)",
                """
                CREATE TABLE reference (
                    tenant_id \(integer) NOT NULL, zone_id \(integer) NOT NULL, target \(text) NOT NULL,
                    source \(text) NOT NULL, action \(text) NOT NULL,
                    PRIMARY KEY (tenant_id, zone_id, target, source, action)
                )\(keyed)
                """,
                "CREATE INDEX reference_source ON reference (tenant_id, zone_id, source)",
            ]
        }

        private var assets: [String] {
            [
                """
                CREATE TABLE asset (
                    tenant_id \(integer) NOT NULL, checksum \(bytes) NOT NULL, size \(integer) NOT NULL,
                    uploaded \(integer) NOT NULL, doubtful \(flag) NOT NULL, PRIMARY KEY (tenant_id, checksum)
                )\(keyed)
                """,
                // Few assets are in doubt at a time, and only they are looked at.
                "CREATE INDEX asset_doubtful ON asset (uploaded) WHERE doubtful",
                """
                CREATE TABLE asset_use (
                    tenant_id \(integer) NOT NULL, zone_id \(integer) NOT NULL, record \(text) NOT NULL,
                    field \(text) NOT NULL, checksum \(bytes) NOT NULL,
                    PRIMARY KEY (tenant_id, zone_id, record, field, checksum),
                    FOREIGN KEY (tenant_id, checksum) REFERENCES asset
                )\(keyed)
                """,
                "CREATE INDEX asset_use_checksum ON asset_use (tenant_id, checksum)",
            ]
        }

        /// Servers that share the tables agree in them who removes content of assets; see ``AssetTurns``.
        ///
        /// Of small indexes that begin with the same columns PostgreSQL takes the one that was made last, while it
        /// knows nothing of the rows; so the keys come after the indexes of feeds and counts. Records have no foreign
        /// key to their zone: to check it takes a third of the time of an insert, and whoever writes records holds the
        /// zone's row.
        var shared: [String] {
            [
                "ALTER TABLE tenant ADD COLUMN removals \(integer) NOT NULL DEFAULT 0",
                """
                CREATE TABLE asset_removal (
                    tenant_id \(integer) NOT NULL, checksum \(bytes) NOT NULL, server \(integer) NOT NULL,
                    begun \(integer) NOT NULL, PRIMARY KEY (tenant_id, checksum)
                )\(keyed)
                """,
                "CREATE UNIQUE INDEX record_key ON record (tenant_id, zone_id, name)",
                "CREATE UNIQUE INDEX answer_key ON answer (tenant_id, owner_id, \"user\", key)",
                "DROP INDEX reference_source",
                "CREATE INDEX reference_source ON reference (tenant_id, source, zone_id)",
            ]
        }

        /// The index of the feed, for queries that ask for it by ``ZoneSchema/isInFeed(_:)``. For a zone whose rows
        /// PostgreSQL has not counted yet it expects one row, whatever the index, and takes the lower one: where that
        /// was the feed's, each look-up of a name read the whole zone.
        var feed: [String] {
            [
                "CREATE INDEX record_news ON record (tenant_id, zone_id, sequence) WHERE sequence > 0",
                "DROP INDEX record_feed",
            ]
        }

        /// The record type of a query subscription, how often it has fired, and for what last. The owner comes last in
        /// the index: a database that knows nothing of the table yet would else take it for looking up a user's.
        var querySubscriptions: [String] {
            [
                "ALTER TABLE subscription ADD COLUMN type \(text)",
                "ALTER TABLE subscription ADD COLUMN fired \(integer) NOT NULL DEFAULT 0",
                "ALTER TABLE subscription ADD COLUMN fired_record \(text)",
                "ALTER TABLE subscription ADD COLUMN fired_zone \(text)",
                "ALTER TABLE subscription ADD COLUMN fired_change \(text)",
                "CREATE INDEX subscription_type ON subscription (tenant_id, type, owner_id)",
            ]
        }

        private var users: [String] {
            [
                """
                CREATE TABLE subscription (
                    tenant_id \(integer) NOT NULL, owner_id \(integer) NOT NULL, "user" \(text) NOT NULL,
                    id \(text) NOT NULL, kind \(text) NOT NULL, zone \(text), body \(bytes) NOT NULL,
                    PRIMARY KEY (tenant_id, owner_id, "user", id), FOREIGN KEY (tenant_id, owner_id) REFERENCES owner
                )\(keyed)
                """,
                """
                CREATE TABLE push_token (
                    tenant_id \(integer) NOT NULL REFERENCES tenant, digest \(bytes) NOT NULL, "user" \(text) NOT NULL,
                    seen \(integer) NOT NULL, PRIMARY KEY (tenant_id, digest)
                )\(keyed)
                """,
                "CREATE INDEX push_token_user ON push_token (tenant_id, \"user\")",
                "CREATE INDEX push_token_seen ON push_token (seen)",
                """
                CREATE TABLE answer (
                    tenant_id \(integer) NOT NULL, owner_id \(integer) NOT NULL, "user" \(text) NOT NULL,
                    key \(text) NOT NULL, body_digest \(bytes) NOT NULL, response \(bytes) NOT NULL,
                    created \(integer) NOT NULL\(answerKey)
                )\(wide)
                """,
                "CREATE INDEX answer_created ON answer (created)",
            ]
        }
    }
}
