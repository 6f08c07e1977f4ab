import BackstitchSQL

/// The end of tokens and keys. Push tokens and devices end with the token or key that made them.
extension ZoneSnapshot {
    /// The end of a token or key in milliseconds since 1970; 0 if it never ends, nil if it is no longer valid.
    ///
    /// If `bearer` names no token or key, this is the latest end among all tokens and keys of the user.
    func end(of bearer: Bearer, at now: Int64) throws -> Int64? {
        let isMeant: SQLText = bearer.credential.isEmpty ? "" : "AND id = \(bearer.credential)"
        let ends = try all(
            """
            SELECT min(expires), max(expires), count(*) FROM (
                SELECT expires FROM credential
                WHERE account = \(bearer.user) AND (expires = 0 OR expires > \(now)) \(isMeant)
                UNION ALL
                SELECT expires FROM server_key
                WHERE account = \(bearer.user) AND (expires = 0 OR expires > \(now)) \(isMeant)
            ) AS honoured
            """
        ) { ($0.int(0), $0.int(1), $0.int(2)) }
        guard let (first, last, count) = ends.first, count > 0 else { return nil }
        return first == 0 ? 0 : last
    }

    /// The ended tokens and keys that left push tokens or wakeable devices behind.
    ///
    /// Tokens of the configuration are always among them, because the storage does not have them. Reads all push
    /// tokens.
    func endedBearers(at now: Int64) throws -> [Bearer] {
        try all(
            """
            SELECT holder, token FROM (
                SELECT "user" AS holder, credential AS token FROM push_token
                UNION SELECT "user", credential FROM wake_device) AS made
            WHERE NOT EXISTS (SELECT 1 FROM credential
                    WHERE account = holder AND (token = '' OR id = token) AND (expires = 0 OR expires > \(now)))
                AND NOT EXISTS (SELECT 1 FROM server_key
                    WHERE account = holder AND (token = '' OR id = token) AND (expires = 0 OR expires > \(now)))
            """
        ) { Bearer(user: $0.text(0), credential: $0.text(1)) }
    }

    /// The same for one user, by one look-up for each token and key.
    func endedBearers(of user: String, at now: Int64) throws -> [Bearer] {
        let made = try credentials(ofUser: user, in: "push_token") + credentials(ofUser: user, in: "wake_device")
        return try Array(
            Set(made.map { Bearer(user: user, credential: $0) }).filter { try end(of: $0, at: now) == nil })
    }

    /// The tokens and keys used by a user to make the rows of a table.
    private func credentials(ofUser user: String, in table: String) throws -> [String] {
        // The join with all tenants is needed because the indexes begin with the tenant.
        let isOfUser: SQLText =
            "\(names: table).tenant_id = tenant.tenant_id AND \(names: table).\"user\" = wanted"
        return try all(
            """
            SELECT \(names: table).credential FROM \(texts: try list([user]))
            CROSS JOIN tenant\(lookUp: table, by: "\(table)_user", where: isOfUser)
            """
        ) { $0.text(0) }
    }
}

/// The end of push tokens and devices.
extension ZoneTransaction {
    /// Removes the push tokens and wakeable devices made with these tokens and keys, in all containers. Returns the
    /// removed push tokens.
    func removePushTokens(of bearers: [Bearer]) throws -> [PushTokenKey] {
        guard !bearers.isEmpty else { return [] }
        // The indexes begin with the tenant, and there are few.
        let tenants = try all("SELECT tenant_id FROM tenant") { $0.int(0) }
        return try bearers.flatMap { bearer in
            try tenants.flatMap { tenantID in
                let isMeant: SQLText = """
                    tenant_id = \(tenantID) AND "user" = \(bearer.user) AND credential = \(bearer.credential)
                    """
                try execute(
                    """
                    DELETE FROM wake_device\(by: "wake_device_user") WHERE \(isMeant)
                    """)
                return try changed(
                    """
                    DELETE FROM push_token\(by: "push_token_user") WHERE \(isMeant) RETURNING digest
                    """
                ) {
                    PushTokenKey(tenantID: tenantID, digest: TokenDigest(bytes: $0.bytes(0)))
                }
            }
        }
    }
}
