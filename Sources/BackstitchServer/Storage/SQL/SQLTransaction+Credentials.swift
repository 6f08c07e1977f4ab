import BackstitchSQL

/// The tokens of users, programs and administrators.
extension SQLTransaction {
    private static let columns =
        "digest, id, kind, account, container, label, read_only, created, expires, lifetime, replaces"

    /// The token in a row; nil if its kind comes from a newer version.
    private static func credential(_ row: any SQLRow) -> StoredCredential? {
        guard let kind = StoredCredential.Kind(rawValue: Int(row.int(2))) else { return nil }
        return StoredCredential(
            digest: TokenDigest(bytes: row.bytes(0)), id: row.text(1), kind: kind, account: row.text(3),
            container: row.text(4), label: row.text(5), isReadOnly: row.int(6) != 0, created: row.int(7),
            expires: row.int(8), lifetime: row.int(9), replaces: row.bytes(10))
    }

    func credential(_ digest: TokenDigest) throws -> StoredCredential? {
        try one(
            "SELECT \(names: Self.columns) FROM credential WHERE digest = \(digest.bytes)", Self.credential) ?? nil
    }

    func credentials(
        _ kind: StoredCredential.Kind, of account: String?, after id: String, limit: Int
    ) throws -> [StoredCredential] {
        let ofAccount: SQLText = if let account { "AND account = \(account)" } else { "" }
        return try all(
            """
            SELECT \(names: Self.columns) FROM credential WHERE kind = \(kind.rawValue) AND id > \(id) \(ofAccount)
                AND NOT EXISTS (SELECT 1 FROM credential AS later WHERE later.kind = credential.kind
                    AND later.id = credential.id AND later.created > credential.created)
            ORDER BY id LIMIT \(limit)
            """, Self.credential
        ).compactMap(\.self)
    }

    func credentialCount(_ kind: StoredCredential.Kind, of account: String, at now: Int64) throws -> Int {
        try one(
            """
            SELECT count(DISTINCT id) FROM credential
            WHERE account = \(account) AND kind = \(kind.rawValue) AND (expires = 0 OR expires > \(now))
            """
        ) { Int($0.int(0)) } ?? 0
    }

    func insert(_ credential: StoredCredential) throws -> Bool {
        try execute(
            """
            INSERT INTO credential (\(names: Self.columns))
            VALUES (\(credential.digest.bytes), \(credential.id), \(credential.kind.rawValue), \(credential.account),
                \(credential.container), \(credential.label), \(credential.isReadOnly ? 1 : 0), \(credential.created),
                \(credential.expires), \(credential.lifetime), \(credential.replaces))
            ON CONFLICT (digest) DO NOTHING
            """) == 1
    }

    func removeCredentials(_ kind: StoredCredential.Kind, id: String) throws -> [StoredCredential] {
        try changed(
            "DELETE FROM credential WHERE kind = \(kind.rawValue) AND id = \(id) RETURNING \(names: Self.columns)",
            Self.credential
        ).compactMap(\.self)
    }

    func removeOldestCredentials(of account: String, beyond count: Int) throws -> Int {
        try execute(
            """
            DELETE FROM credential WHERE account = \(account) AND id NOT IN (
                SELECT id FROM credential WHERE account = \(account) GROUP BY id
                ORDER BY max(created) DESC, id LIMIT \(count))
            """)
    }

    func replacedToken(_ digest: TokenDigest, knownUntil time: Int64) throws -> String? {
        try one("SELECT id FROM replaced_token WHERE digest = \(digest.bytes) AND ends <= \(time)") { $0.text(0) }
    }

    func retire(replacedBy next: StoredCredential, at end: Int64, until forgotten: Int64) throws {
        try execute(
            """
            UPDATE credential SET expires = \(end)
            WHERE digest = \(next.replaces) AND (expires = 0 OR expires > \(end))
            """)
        try execute(
            """
            INSERT INTO replaced_token (digest, id, ends) VALUES (\(next.replaces), \(next.id), \(forgotten))
            ON CONFLICT DO NOTHING
            """)
        try execute("UPDATE credential SET replaces = \([UInt8]()) WHERE digest = \(next.digest.bytes)")
    }

    func removeReplacedTokens(endedBefore time: Int64, limit: Int) throws -> Bool {
        try execute(
            """
            DELETE FROM replaced_token WHERE digest IN (
                SELECT digest FROM replaced_token WHERE ends < \(time) ORDER BY ends LIMIT \(limit))
            """) == limit
    }

    func removeCredentials(endedBefore time: Int64, limit: Int) throws -> Bool {
        try execute(
            """
            DELETE FROM credential WHERE digest IN (
                SELECT digest FROM credential WHERE expires > 0 AND expires < \(time)
                ORDER BY expires LIMIT \(limit))
            """) == limit
    }
}
