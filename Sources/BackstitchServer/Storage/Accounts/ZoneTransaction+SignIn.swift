import BackstitchSQL

/// ID tokens of sign-in providers. Each may be used once.
extension ZoneTransaction {
    /// Notes the acceptance of an ID token. Returns false if it was accepted before.
    ///
    /// - Parameter time: The end of its acceptance, in milliseconds since 1970.
    func spendSignInToken(_ digest: TokenDigest, until time: Int64) throws -> Bool {
        try execute(
            """
            INSERT INTO sign_in_token (digest, ends) VALUES (\(digest.bytes), \(time)) ON CONFLICT (digest) DO NOTHING
            """) > 0
    }

    /// Forgets the acceptance of an ID token.
    func restoreSignInToken(_ digest: TokenDigest) throws {
        try execute("DELETE FROM sign_in_token WHERE digest = \(digest.bytes)")
    }

    /// Forgets up to `limit` ID tokens past the end of their acceptance. Returns their number.
    func removeSignInTokens(endedBefore time: Int64, limit: Int) throws -> Int {
        try removePiece(
            of: "sign_in_token", key: [.bytes("digest")], where: "ends < \(time) ORDER BY ends LIMIT \(limit)")
    }
}
