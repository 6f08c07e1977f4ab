import BackstitchSQL

/// ID tokens of sign-in providers. Each may be used once.
extension SQLTransaction {
    func spendSignInToken(_ digest: TokenDigest, until time: Int64) throws -> Bool {
        try execute(
            """
            INSERT INTO sign_in_token (digest, ends) VALUES (\(digest.bytes), \(time)) ON CONFLICT (digest) DO NOTHING
            """) > 0
    }

    func restoreSignInToken(_ digest: TokenDigest) throws {
        try execute("DELETE FROM sign_in_token WHERE digest = \(digest.bytes)")
    }

    func removeSignInTokens(endedBefore time: Int64, limit: Int) throws -> Int {
        try execute(
            """
            DELETE FROM sign_in_token
            WHERE digest IN (SELECT digest FROM sign_in_token WHERE ends < \(time) ORDER BY ends LIMIT \(limit))
            """)
    }
}
