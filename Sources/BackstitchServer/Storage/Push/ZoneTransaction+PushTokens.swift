import BackstitchSQL

/// The push tokens of users.
extension ZoneSnapshot {
    /// The push token with this key, if it is known.
    func pushToken(_ key: PushTokenKey) throws -> StoredPushToken? {
        try one(
            """
            SELECT tenant.name, "user", client, credential FROM push_token JOIN tenant USING (tenant_id)
            WHERE push_token.tenant_id = \(key.tenantID) AND digest = \(key.digest.bytes)
            """
        ) {
            StoredPushToken(
                key: key, tenant: $0.text(0), user: $0.text(1), credential: $0.text(3), client: $0.optionalText(2))
        }
    }

    /// The push tokens of some users, the most recently used first. One statement.
    ///
    /// - Parameter limit: The maximum number of tokens of each user.
    func pushTokens(
        tenantID: Int64, users: [String], limit: Int
    ) throws -> [(user: String, token: PushTokenKey)] {
        var counts: [String: Int] = [:]
        let isOfUser: SQLText = "tenant_id = \(tenantID) AND \"user\" = wanted"
        return try all(
            """
            SELECT "user", digest FROM \(texts: try list(users))\(lookUp: "push_token", where: isOfUser)
            ORDER BY seen DESC, digest
            """
        ) { ($0.text(0), PushTokenKey(tenantID: tenantID, digest: TokenDigest(bytes: $0.bytes(1)))) }
        .filter { user, _ in
            counts[user, default: 0] += 1
            return counts[user, default: 0] <= limit
        }
    }
}

/// The writes of push tokens.
extension ZoneTransaction {
    /// Adds a push token, or gives it to another user.
    func putPushToken(_ token: StoredPushToken, seen: Int64) throws {
        try execute(
            """
            INSERT INTO push_token (tenant_id, digest, "user", seen, client, credential)
            VALUES (\(token.key.tenantID), \(token.key.digest.bytes), \(token.user), \(seen), \(token.client),
                \(token.credential))
            ON CONFLICT (tenant_id, digest) DO UPDATE
            SET "user" = excluded."user", seen = excluded.seen, client = excluded.client,
                credential = excluded.credential
            """)
    }

    /// Notes the last use of these push tokens.
    func touchPushTokens(_ tokens: [PushTokenKey], seen: Int64) throws {
        // Each is updated by its key, at most once a day. For a join with a list PostgreSQL may read the whole table.
        for token in tokens {
            try execute(
                """
                UPDATE push_token SET seen = \(seen)
                WHERE tenant_id = \(token.tenantID) AND digest = \(token.digest.bytes)
                """)
        }
    }

    /// Removes at most `limit` push tokens that were not used since `time`. Returns their number.
    func removePushTokens(unseenSince time: Int64, limit: Int) throws -> Int {
        try removePiece(
            of: "push_token", key: [.integer("tenant_id"), .bytes("digest")],
            where: "seen < \(time) ORDER BY seen LIMIT \(limit)")
    }

    /// Keeps at most `limit` push tokens of a user, the most recently used, and always `key`. Returns the removed ones.
    func removePushTokens(of user: String, beyond limit: Int, keeping key: PushTokenKey) throws -> [PushTokenKey] {
        // The limit has no effect, but some databases allow OFFSET only after LIMIT.
        try changed(
            """
            DELETE FROM push_token WHERE tenant_id = \(key.tenantID) AND digest IN (
                SELECT digest FROM push_token WHERE tenant_id = \(key.tenantID) AND "user" = \(user)
                ORDER BY digest = \(key.digest.bytes) DESC, seen DESC LIMIT \(Int64.max) OFFSET \(limit))
            RETURNING digest
            """
        ) { PushTokenKey(tenantID: key.tenantID, digest: TokenDigest(bytes: $0.bytes(0))) }
    }

    /// Removes the push tokens that a user made under a client's name, and returns them.
    func removePushTokens(tenant: String, user: String, client: String) throws -> [PushTokenKey] {
        try changed(
            """
            DELETE FROM push_token\(by: "push_token_user")
            WHERE tenant_id = (SELECT tenant_id FROM tenant WHERE name = \(tenant))
                AND "user" = \(user) AND client = \(client)
            RETURNING tenant_id, digest
            """
        ) { PushTokenKey(tenantID: $0.int(0), digest: TokenDigest(bytes: $0.bytes(1))) }
    }
}
