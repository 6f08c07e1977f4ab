/// How much of each table a statement of a request may read.
enum PlanRules {
    /// The tables, each with the columns that alone pick out a part of any size. A plan must search an index by one
    /// column more.
    static let wide: [String: Set<String>] = [
        "account": [], "answer": ["tenant_id", "owner_id"], "asset": ["tenant_id"], "asset_removal": ["tenant_id"],
        "asset_use": ["tenant_id", "zone_id"], "credential": ["kind"], "ended_share": ["tenant_id", "zone_id"],
        "identity_change": [], "owner": ["tenant_id", "scope"], "participant": ["tenant_id", "zone_id"],
        "push_token": ["tenant_id"], "query_entry": ["tenant_id", "zone_id", "number"],
        "query_index": ["tenant_id"], "record": ["tenant_id", "zone_id", "deleted"],
        "reference": ["tenant_id", "zone_id"], "replaced_token": [], "server_key": [], "share": ["tenant_id"],
        "shared_zone": ["tenant_id"], "sign_in": ["issuer"], "sign_in_token": [], "spent_signature": ["key"],
        "subscription": ["tenant_id", "owner_id"], "usage": ["tenant_id"],
        "visibility": ["tenant_id", "zone_id", "share"], "wake_device": ["tenant_id"], "zone": ["tenant_id"],
    ]

    /// Tables of few rows, which may be read whole: a row for each container, or a single one.
    static let small: Set<String> = ["container", "identity", "life", "schema_step", "setting", "tenant"]

    /// A statement that may read more.
    struct Exception {
        /// A piece of the statement's text, with single spaces.
        var piece: String
        var table: String
        var reason: String
    }

    static let exceptions: [Exception] = [
        Exception(
            piece: "SELECT name FROM visibility WHERE tenant_id", table: "visibility",
            reason: "counts the entries of one share, up to a limit, or takes a piece of them to remove"),
        Exception(
            piece: "INSERT INTO visibility (tenant_id, zone_id, share, name, sequence, history, gone, changed) SELECT",
            table: "visibility", reason: "tells a guest of all that one share shows"),
        Exception(
            piece: "INSERT INTO visibility (tenant_id, zone_id, share, name, sequence, history, gone, changed) SELECT",
            table: "participant", reason: "finds the guest among those of one share"),
        Exception(
            piece: "DELETE FROM visibility WHERE", table: "visibility",
            reason: "forgets all news of one guest, or a piece of an ended share"),
        Exception(
            piece: "ORDER BY name LIMIT", table: "visibility", reason: "a piece of an ended share"),
        Exception(
            piece: "ORDER BY target, source, action LIMIT", table: "reference", reason: "a piece of an emptied zone"),
        Exception(piece: "ORDER BY record, field, checksum", table: "asset_use", reason: "a piece of an emptied zone"),
        Exception(piece: "ORDER BY number, key, record", table: "query_entry", reason: "a piece of an emptied zone"),
        Exception(piece: "ORDER BY number LIMIT", table: "ended_share", reason: "a piece of an emptied zone"),
        Exception(piece: "ORDER BY share, id LIMIT", table: "participant", reason: "a piece of an emptied zone"),
        Exception(piece: "ORDER BY sequence LIMIT", table: "record", reason: "a piece of an emptied zone"),
        Exception(
            piece: "SELECT tenant_id, zone_id, number, key, record FROM query_entry WHERE tenant_id",
            table: "query_entry", reason: "a piece of an index that nobody uses"),
        Exception(
            piece: "DELETE FROM query_entry WHERE ctid = ANY (ARRAY(SELECT ctid", table: "query_entry",
            reason: "a piece of an index that nobody uses"),
        Exception(
            piece: "FROM ended_share LIMIT 1", table: "ended_share", reason: "the first of the shares that have ended"),
        Exception(
            piece: "SELECT tenant_id, zone_id, name FROM record WHERE (flags &", table: "record",
            reason: "a step of the schema, which is taken once"),
        Exception(
            piece: "FROM subscription WHERE type IS NOT NULL", table: "subscription",
            reason: "a step of the schema, which is taken once"),
        Exception(
            piece: "SELECT \"user\", body FROM subscription WHERE tenant_id", table: "subscription",
            reason: "a step of the schema, which is taken once"),
        Exception(
            piece: "SELECT tenant_id, owner_id FROM owner", table: "owner", reason: "after a storage was restored"),
        Exception(piece: "SELECT tenant_id, zone_id FROM zone", table: "zone", reason: "after a storage was restored"),
        Exception(
            piece: "coalesce(max(owner_id), 0) + 1", table: "owner", reason: "the end of the tree of the table's key"),
        Exception(
            piece: "coalesce(max(zone_id), 0) + 1", table: "zone", reason: "the end of the tree of the table's key"),
        Exception(
            piece: "DELETE FROM zone WHERE", table: "record",
            reason: "looks for one row that refers to the emptied zone, for a foreign key"),
        Exception(
            piece: "INSERT INTO zone (tenant_id, zone_id, owner_id,", table: "record",
            reason: "would look for rows that refer to a missing zone, for a foreign key; there never are any"),
        Exception(
            piece: "INSERT INTO owner (tenant_id, owner_id, scope,", table: "subscription",
            reason: "would look for rows that refer to a missing owner, for a foreign key; there never are any"),
        Exception(
            piece: "SELECT count(*) FROM server_key", table: "server_key", reason: "when an administrator adds a key"),
        Exception(
            piece: "SELECT id FROM server_key ORDER BY id", table: "server_key",
            reason: "once a second at most, when an address with failures names a key"),
        Exception(
            piece: "FROM push_token UNION SELECT", table: "push_token",
            reason: "once, when a server begins or its configuration changes"),
        Exception(
            piece: "FROM push_token UNION SELECT", table: "wake_device",
            reason: "once, when a server begins or its configuration changes"),
        Exception(
            piece: "SELECT holder, token FROM (", table: "credential",
            reason: "once, when a server begins or its configuration changes"),
        Exception(
            piece: "SELECT holder, token FROM (", table: "server_key",
            reason: "once, when a server begins or its configuration changes"),
        Exception(
            piece: "DELETE FROM subscription WHERE", table: "subscription",
            reason: "when a zone is deleted, those of its private database"),
        Exception(
            piece: "SELECT tenant_id, checksum FROM asset_removal", table: "asset_removal",
            reason: "has the removals that are going on"),
    ]

    /// The part of a plan that reads too much; nil for none.
    static func fault(_ access: PlannedAccess, of text: String) -> String? {
        if small.contains(access.table) { return nil }
        guard let wide = wide[access.table] else { return nil }
        guard access.columns.isSubset(of: wide) else { return nil }
        let plain = WrittenStatement.plain(text)
        if exceptions.contains(where: { $0.table == access.table && plain.contains($0.piece) }) { return nil }
        return "\(access.text)\n    in \(plain)"
    }
}
