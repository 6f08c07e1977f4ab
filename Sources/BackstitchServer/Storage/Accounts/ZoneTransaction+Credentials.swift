import BackstitchSQL

/// The tokens of users, programs and administrators.
extension ZoneSnapshot {
    fileprivate static let columns =
        "digest, id, kind, account, container, label, read_only, created, expires, lifetime, replaces"

    /// The token in a row; nil if its kind comes from a newer version.
    fileprivate static func credential(_ row: any SQLRow) -> StoredCredential? {
        guard let kind = StoredCredential.Kind(rawValue: Int(row.int(2))) else { return nil }
        return StoredCredential(
            digest: TokenDigest(bytes: row.bytes(0)), id: row.text(1), kind: kind, account: row.text(3),
            container: row.text(4), label: row.text(5), isReadOnly: row.int(6) != 0, created: row.int(7),
            expires: row.int(8), lifetime: row.int(9), replaces: row.bytes(10))
    }

    /// The token with this digest, valid or not; nil if there is none.
    func credential(_ digest: TokenDigest) throws -> StoredCredential? {
        try one(
            "SELECT \(names: Self.columns) FROM credential WHERE digest = \(digest.bytes)", Self.credential) ?? nil
    }

    /// A page of tokens of a kind in the order of their ids, after `id`.
    ///
    /// A renewed token has the id of the token before it; only the newest of one id is listed.
    ///
    /// - Parameter account: The account of the tokens; nil for the tokens of all accounts.
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

    /// The number of valid tokens of a kind. A token and its renewals have one id and count once.
    func credentialCount(_ kind: StoredCredential.Kind, of account: String, at now: Int64) throws -> Int {
        try one(
            """
            SELECT count(DISTINCT id) FROM credential
            WHERE account = \(account) AND kind = \(kind.rawValue) AND (expires = 0 OR expires > \(now))
            """
        ) { Int($0.int(0)) } ?? 0
    }

    /// The id of the token that replaced this one by renewal.
    ///
    /// It is nil if no replacement is noted, or if the note is kept beyond `time`.
    func replacedToken(_ digest: TokenDigest, knownUntil time: Int64) throws -> String? {
        try one("SELECT id FROM replaced_token WHERE digest = \(digest.bytes) AND ends <= \(time)") { $0.text(0) }
    }
}

/// The writes of tokens.
extension ZoneTransaction {
    /// Adds a token; false if a token with the same digest exists.
    @discardableResult
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

    /// Removes all tokens with this id, and returns them.
    func removeCredentials(_ kind: StoredCredential.Kind, id: String) throws -> [StoredCredential] {
        try changed(
            "DELETE FROM credential WHERE kind = \(kind.rawValue) AND id = \(id) RETURNING \(names: Self.columns)",
            Self.credential
        ).compactMap(\.self)
    }

    /// Keeps the tokens of the `count` newest ids of a user, and removes the older ones. Returns the number of removed
    /// rows.
    func removeOldestCredentials(of account: String, beyond count: Int) throws -> Int {
        try execute(
            """
            DELETE FROM credential WHERE account = \(account) AND id NOT IN (
                SELECT id FROM credential WHERE account = \(account) GROUP BY id
                ORDER BY max(created) DESC, id LIMIT \(count))
            """)
    }

    /// Notes the first use of a renewed token.
    ///
    /// The token before it is valid until `end` at most. The storage knows it as replaced until `forgotten`.
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

    /// Removes a piece of the notes about replaced tokens, if they were kept until before `time`; false when none is
    /// left.
    func removeReplacedTokens(endedBefore time: Int64, limit: Int) throws -> Bool {
        try removePiece(
            of: "replaced_token", key: [.bytes("digest")], where: "ends < \(time) ORDER BY ends LIMIT \(limit)")
            == limit
    }

    /// Removes a piece of the tokens that ended before `time`; false when none is left.
    func removeCredentials(endedBefore time: Int64, limit: Int) throws -> Bool {
        try removePiece(
            of: "credential", key: [.bytes("digest")],
            where: "expires > 0 AND expires < \(time) ORDER BY expires LIMIT \(limit)") == limit
    }
}
