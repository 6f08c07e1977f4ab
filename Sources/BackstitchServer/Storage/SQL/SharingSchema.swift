import BackstitchSQL

/// The tables of shares, of their participants, and of the records that participants see.
enum SharingSchema {
    /// The statements that make the tables of shared zones.
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
            // An entry for a shared zone in a guest's database: state 0, or 1 after the sharing ended.
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

    /// The public keys that participants have given.
    static func participantKeys(_ dialect: any SQLDialect) -> [String] {
        ["ALTER TABLE participant ADD COLUMN public_key \(dialect.types.text)"]
    }

    /// The users charged for the room of participants: the owners of the shared zones.
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

    /// Shares of single records, and the log of records visible to their participants.
    ///
    /// A row of `visibility` says that the participants of a share see a record, or have seen it (`gone`). It has the
    /// sequence of the last change of the record or its visibility. So the rows of a share in the order of their
    /// sequences are the feed of its participants.
    ///
    /// Rows with a number below zero are news for a single guest. The number is the negated number of the guest's
    /// database.
    static func recordShares(_ dialect: any SQLDialect) -> [String] {
        let integer = dialect.types.integer, text = dialect.types.text, keyed = dialect.tableEnding(.keyed)
        return [
            // A number unique among all shares the zone ever had, and the last sequence of the share's rows.
            "ALTER TABLE share ADD COLUMN number \(integer) NOT NULL DEFAULT 0",
            "ALTER TABLE share ADD COLUMN root \(text)",
            "ALTER TABLE share ADD COLUMN head \(integer) NOT NULL DEFAULT 0",
            // The participant may read the records of the share from this sequence on.
            "ALTER TABLE participant ADD COLUMN since \(integer) NOT NULL DEFAULT 0",
            "CREATE INDEX participant_user ON participant (tenant_id, \"user\", zone_id)",
            // The guest's tokens below the floor are refused.
            "ALTER TABLE shared_zone ADD COLUMN floor \(integer) NOT NULL DEFAULT 0",
            """
            CREATE TABLE visibility (
                tenant_id \(integer) NOT NULL, zone_id \(integer) NOT NULL, share \(integer) NOT NULL,
                name \(text) NOT NULL, sequence \(integer) NOT NULL, history \(integer) NOT NULL,
                gone \(integer) NOT NULL, changed \(integer) NOT NULL, PRIMARY KEY (tenant_id, zone_id, share, name)
            )\(keyed)
            """,
            "CREATE INDEX visibility_feed ON visibility (tenant_id, zone_id, share, sequence)",
            // The zone is last. Otherwise a database without statistics would use this index for reading a feed.
            "CREATE INDEX visibility_name ON visibility (tenant_id, name, zone_id)",
            "CREATE INDEX visibility_gone ON visibility (changed) WHERE gone = 1",
            // Ended shares. Their rows are still to be removed.
            """
            CREATE TABLE ended_share (
                tenant_id \(integer) NOT NULL, zone_id \(integer) NOT NULL, number \(integer) NOT NULL,
                PRIMARY KEY (tenant_id, zone_id, number)
            )\(keyed)
            """,
            // The index is partial, so records without a parent cost nothing.
            "CREATE INDEX record_parent ON record (tenant_id, zone_id, parent) WHERE parent IS NOT NULL",
        ]
    }
}
