import BackstitchSQL

extension ZoneSchema {
    /// The tables, written with the types of one database.
    struct Types {
        let integer: String
        let text: String
        private let bytes: String
        private let flag: String
        private let numbered: String
        private let keyed: String
        private let counters: String
        private let wide: String
        /// The keys of records and of answers. Shared tables get their keys last; see ``shared``.
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

        /// The tables of the first version, in the order of their creation.
        var first: [String] { zones + records + assets + users }

        /// The tables of tenants, owners and zones, and of the storage's settings.
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

        /// The tables of records and of references between them.
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

        /// The tables of assets and of their uses.
        private var assets: [String] {
            [
                """
                CREATE TABLE asset (
                    tenant_id \(integer) NOT NULL, checksum \(bytes) NOT NULL, size \(integer) NOT NULL,
                    uploaded \(integer) NOT NULL, doubtful \(flag) NOT NULL, PRIMARY KEY (tenant_id, checksum)
                )\(keyed)
                """,
                // Few assets are in doubt at a time, and only these are examined.
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

        /// Changes for servers that share the tables. The servers use them to agree on the removal of assets; see
        /// ``AssetTurns``.
        ///
        /// As long as PostgreSQL has no statistics, it prefers the newest of small indexes that begin with the same
        /// columns. So the keys are made after the indexes of feeds and counts.
        ///
        /// Records have no foreign key to their zone: its check takes a third of the time of an insert. A writer of
        /// records holds the zone's row anyway.
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

        /// The index of the feed, for queries with the condition of ``ZoneSchema/isInFeed(_:)``.
        ///
        /// For a zone without statistics, PostgreSQL expects one row from every index, and takes the index with the
        /// lower tree. When that was the feed's index, each look-up of a name read the whole zone.
        var feed: [String] {
            [
                "CREATE INDEX record_news ON record (tenant_id, zone_id, sequence) WHERE sequence > 0",
                "DROP INDEX record_feed",
            ]
        }

        /// The indexes of the feeds of zones, for queries with a condition that no look-up of a name has. Otherwise
        /// such a look-up would read all zones of an owner, for the same reason.
        var zoneFeeds: [String] {
            [
                """
                CREATE INDEX zone_news ON zone (tenant_id, owner_id, owner_sequence) WHERE owner_sequence > 0
                """,
                "DROP INDEX zone_feed",
                """
                CREATE INDEX shared_zone_news ON shared_zone (tenant_id, owner_id, owner_sequence)
                WHERE owner_sequence > 0
                """,
                "DROP INDEX shared_zone_feed",
            ]
        }

        /// The index of the subscriptions to zones and databases. With it a push reads only those of its own zones. The
        /// index of the others gets a condition. Otherwise a database without statistics would use it for these too.
        var plainSubscriptions: [String] {
            [
                "CREATE INDEX subscription_plain ON subscription (tenant_id, owner_id, kind, zone) WHERE type IS NULL",
                "DROP INDEX subscription_type",
                "CREATE INDEX subscription_type ON subscription (tenant_id, type, owner_id) WHERE type IS NOT NULL",
            ]
        }

        /// The record type of a query subscription, the number of its firings, and the record of the last one.
        ///
        /// The owner is last in the index. Otherwise a database without statistics would use it to look up the
        /// subscriptions of a user.
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

        /// The marks of query subscriptions, with the body at the time of marking: an older server changes the body
        /// alone, and then the mark is not used.
        ///
        /// The owner is last in the indexes, as in the one of types.
        var subscriptionMarks: [String] {
            [
                "ALTER TABLE subscription ADD COLUMN mark \(text)",
                "ALTER TABLE subscription ADD COLUMN mark_field \(text)",
                "ALTER TABLE subscription ADD COLUMN marked_body \(bytes)",
                "CREATE INDEX subscription_mark ON subscription (tenant_id, mark, owner_id) WHERE mark IS NOT NULL",
                """
                CREATE INDEX subscription_mark_field ON subscription (tenant_id, type, owner_id, mark_field)
                WHERE mark_field IS NOT NULL
                """,
                """
                CREATE INDEX subscription_unmarked ON subscription (tenant_id, type, owner_id)
                WHERE type IS NOT NULL AND (mark IS NULL OR marked_body <> body)
                """,
            ]
        }

        /// The tables of subscriptions, of push tokens and of kept answers.
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
