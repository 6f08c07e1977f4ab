import BackstitchSQL

/// The table and triggers that count each user's usage.
///
/// The database counts, so every way of changing a table is included. The usage of a user is one row, and so one
/// look-up.
///
/// A transaction that changes a user's usage locks the row of this user and tenant until it ends. Rows of other users
/// are not locked.
enum UsageSchema {
    /// The statements that make the table, count the present rows, and make the triggers.
    static func statements(_ dialect: any SQLDialect) -> [String] {
        let integer = dialect.types.integer, text = dialect.types.text
        let tables = [
            """
            CREATE TABLE usage (
                tenant_id \(integer) NOT NULL, "user" \(text) NOT NULL, records \(integer) NOT NULL DEFAULT 0,
                bytes \(integer) NOT NULL DEFAULT 0, answers \(integer) NOT NULL DEFAULT 0,
                answer_bytes \(integer) NOT NULL DEFAULT 0, PRIMARY KEY (tenant_id, "user")
            )\(dialect.tableEnding(.counters))
            """,
            // The user charged for an asset, and its size.
            "ALTER TABLE asset_use ADD COLUMN \"user\" \(text) NOT NULL DEFAULT ''",
            "ALTER TABLE asset_use ADD COLUMN size \(integer) NOT NULL DEFAULT 0",
        ]
        let indexes = [
            "CREATE INDEX owner_name ON owner (name, scope)",
            "CREATE INDEX answer_user ON answer (tenant_id, \"user\", created)",
        ]
        return tables + counted + indexes + tallies.flatMap(dialect.triggers)
    }

    /// Counts the rows from before the triggers.
    private static let counted = [
        """
        UPDATE asset_use SET
            size = coalesce((SELECT size FROM asset
                WHERE asset.tenant_id = asset_use.tenant_id AND asset.checksum = asset_use.checksum), 0),
            "user" = coalesce((SELECT created_by FROM record WHERE record.tenant_id = asset_use.tenant_id
                AND record.zone_id = asset_use.zone_id AND record.name = asset_use.record), '')
        """,
        """
        INSERT INTO usage (tenant_id, "user", records, bytes, answers, answer_bytes)
        SELECT tenant_id, "user", sum(records), sum(bytes), sum(answers), sum(answer_bytes)
        FROM (\(rowsOfFirst)) AS counted
        GROUP BY tenant_id, "user"
        """,
    ]

    /// Also counts the participants of shares, both present and future ones.
    static func ofParticipants(_ dialect: any SQLDialect) -> [String] {
        [
            """
            INSERT INTO usage (tenant_id, "user", records, bytes, answers, answer_bytes)
            SELECT tenant_id, "user", records, bytes, answers, answer_bytes FROM (\(rowsOfParticipants)) AS counted
            WHERE 1 = 1
            ON CONFLICT (tenant_id, "user") DO UPDATE SET bytes = usage.bytes + excluded.bytes
            """
        ] + dialect.triggers(participants)
    }

    /// A query for sums of rows: tenant, user, and the four sums. A user may have several such rows.
    static let countedRows = "\(rowsOfFirst) UNION ALL \(rowsOfParticipants)"

    /// The sums of participants, for the owners of the shared zones.
    private static let rowsOfParticipants = """
        SELECT tenant_id, payer AS "user", 0 AS records, sum(\(bytesOfParticipant.of("participant"))) AS bytes,
            0 AS answers, 0 AS answer_bytes
        FROM participant GROUP BY tenant_id, payer
        """

    /// The rows that were counted from the first version of the table on.
    private static let rowsOfFirst = """
        SELECT tenant_id, created_by AS "user", count(*) FILTER (WHERE deleted = 0) AS records,
            sum(length(fields) + \(overhead)) AS bytes, 0 AS answers, 0 AS answer_bytes
        FROM record GROUP BY tenant_id, created_by
        UNION ALL SELECT tenant_id, "user", 0, sum(size), 0, 0 FROM asset_use GROUP BY tenant_id, "user"
        UNION ALL SELECT tenant_id, "user", 0, 0, count(*), sum(length(response)) FROM answer
        GROUP BY tenant_id, "user"
        """

    /// The bytes charged for a record in addition to its fields: names, stamps, and entries in indexes.
    private static let overhead = 400

    /// The counted tables of the first version, with their amounts.
    private static let tallies = [
        tally(
            "record", user: "created_by",
            [.init("records", "1 - row.deleted"), .init("bytes", "length(row.fields) + \(overhead)")],
            changing: ["fields", "deleted"]),
        tally("asset_use", [.init("bytes", "row.size")]),
        tally("answer", [.init("answers", "1"), .init("answer_bytes", "length(row.response)")]),
    ]

    private static let participants = tally("participant", user: "payer", [bytesOfParticipant])

    private static let bytesOfParticipant = SQLTally.Amount(
        "bytes",
        """
        \(overhead) + length(row.names) + length(coalesce(row."user", '')) + length(coalesce(row.address, ''))
        + length(coalesce(row.public_key, ''))
        """)

    /// A tally of a table for the table of usage.
    ///
    /// - Parameter user: The column of the charged user.
    /// - Parameter changing: The columns whose change makes the database count a row again.
    private static func tally(
        _ table: String, user: String = "\"user\"", _ amounts: [SQLTally.Amount], changing: [String] = []
    ) -> SQLTally {
        SQLTally(
            table, in: "usage", keys: [("tenant_id", "tenant_id"), ("\"user\"", user)], of: table, amounts: amounts,
            changing: changing)
    }
}
