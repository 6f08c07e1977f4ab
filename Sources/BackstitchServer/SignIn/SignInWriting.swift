/// Writes of the storage for sign-ins.
protocol SignInWriting {
    /// Notes the acceptance of an ID token. Returns false if it was accepted before.
    ///
    /// - Parameter time: The end of its acceptance, in milliseconds since 1970.
    func spendSignInToken(_ digest: TokenDigest, until time: Int64) throws -> Bool
    /// Forgets the acceptance of an ID token.
    func restoreSignInToken(_ digest: TokenDigest) throws
    /// Forgets up to `limit` ID tokens past the end of their acceptance. Returns their number.
    func removeSignInTokens(endedBefore time: Int64, limit: Int) throws -> Int
}
