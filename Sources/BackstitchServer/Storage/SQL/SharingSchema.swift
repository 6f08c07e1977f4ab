import BackstitchSQL

/// The tables of shares.
enum SharingSchema {
    static func statements(_ dialect: any SQLDialect) -> [String] {
        let integer = dialect.types.integer, text = dialect.types.text, keyed = dialect.tableEnding(.keyed)
        return [
            "ALTER TABLE zone ADD COLUMN sharing \(integer) NOT NULL DEFAULT 0",
            """
            CREATE TABLE share (
                tenant_id \(integer) NOT NULL, zone_id \(integer) NOT NULL, record \(text) NOT NULL,
                guid \(text) NOT NULL, permission \(text) NOT NULL, PRIMARY KEY (tenant_id, zone_id, record)
            )\(keyed)
            """,
            "CREATE UNIQUE INDEX share_guid ON share (tenant_id, guid)",
            """
            CREATE TABLE participant (
                tenant_id \(integer) NOT NULL, zone_id \(integer) NOT NULL, share \(text) NOT NULL, id \(text) NOT NULL,
                "user" \(text), address \(text), kind \(text) NOT NULL, status \(text) NOT NULL,
                permission \(text) NOT NULL, names \(text) NOT NULL, PRIMARY KEY (tenant_id, zone_id, share, id)
            )\(keyed)
            """,
            // A zone as it stands in the database of a user with whom it is shared: state 0, or 1 when that has ended.
            """
            CREATE TABLE shared_zone (
                tenant_id \(integer) NOT NULL, owner_id \(integer) NOT NULL, zone_owner \(text) NOT NULL,
                zone_name \(text) NOT NULL, zone_id \(integer) NOT NULL, owner_sequence \(integer) NOT NULL,
                state \(integer) NOT NULL, PRIMARY KEY (tenant_id, owner_id, zone_owner, zone_name)
            )\(keyed)
            """,
            "CREATE INDEX shared_zone_feed ON shared_zone (tenant_id, owner_id, owner_sequence)",
            "CREATE INDEX shared_zone_guests ON shared_zone (tenant_id, zone_id, owner_id)",
        ]
    }

    /// The public keys that participants have told.
    static func participantKeys(_ dialect: any SQLDialect) -> [String] {
        ["ALTER TABLE participant ADD COLUMN public_key \(dialect.types.text)"]
    }

    /// The users whose room participants take: the owners of the zones that are shared.
    static func participantSizes(_ dialect: any SQLDialect) -> [String] {
        [
            "ALTER TABLE participant ADD COLUMN payer \(dialect.types.text) NOT NULL DEFAULT ''",
            """
            UPDATE participant SET payer = coalesce((
                SELECT owner.name FROM zone
                JOIN owner ON owner.tenant_id = zone.tenant_id AND owner.owner_id = zone.owner_id
                WHERE zone.tenant_id = participant.tenant_id AND zone.zone_id = participant.zone_id), '')
            """,
        ] + UsageSchema.ofParticipants(dialect)
    }

    /// Shares of single records, and the log of which records their participants see.
    ///
    /// A row of `visibility` says that the participants of a share see a record, or have seen it (`gone`), and when
    /// that or the record itself last changed: so the rows of a share, by sequence, are the feed of its participants.
    /// Rows with a number below zero are news for one guest alone, whose database has that number.
    static func recordShares(_ dialect: any SQLDialect) -> [String] {
        let integer = dialect.types.integer, text = dialect.types.text, keyed = dialect.tableEnding(.keyed)
        return [
            // A number that no other share of the zone ever had, and the last sequence of its rows.
            "ALTER TABLE share ADD COLUMN number \(integer) NOT NULL DEFAULT 0",
            "ALTER TABLE share ADD COLUMN root \(text)",
            "ALTER TABLE share ADD COLUMN head \(integer) NOT NULL DEFAULT 0",
            // The sequence from which on the participant may read what the share shows.
            "ALTER TABLE participant ADD COLUMN since \(integer) NOT NULL DEFAULT 0",
            "CREATE INDEX participant_user ON participant (tenant_id, \"user\", zone_id)",
            // Tokens of the guest below it are not honoured.
            "ALTER TABLE shared_zone ADD COLUMN floor \(integer) NOT NULL DEFAULT 0",
            """
            CREATE TABLE visibility (
                tenant_id \(integer) NOT NULL, zone_id \(integer) NOT NULL, share \(integer) NOT NULL,
                name \(text) NOT NULL, sequence \(integer) NOT NULL, history \(integer) NOT NULL,
                gone \(integer) NOT NULL, changed \(integer) NOT NULL, PRIMARY KEY (tenant_id, zone_id, share, name)
            )\(keyed)
            """,
            "CREATE INDEX visibility_feed ON visibility (tenant_id, zone_id, share, sequence)",
            // The zone last: a database that knows nothing of the table yet would else take it for reading a feed.
            "CREATE INDEX visibility_name ON visibility (tenant_id, name, zone_id)",
            "CREATE INDEX visibility_gone ON visibility (changed) WHERE gone = 1",
            // Shares that have ended, whose rows are still to be removed.
            """
            CREATE TABLE ended_share (
                tenant_id \(integer) NOT NULL, zone_id \(integer) NOT NULL, number \(integer) NOT NULL,
                PRIMARY KEY (tenant_id, zone_id, number)
            )\(keyed)
            """,
            // Records without a parent cost nothing.
            "CREATE INDEX record_parent ON record (tenant_id, zone_id, parent) WHERE parent IS NOT NULL",
        ]
    }
}
