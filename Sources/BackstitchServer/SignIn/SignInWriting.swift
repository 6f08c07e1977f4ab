/// The writes of sign-ins.
protocol SignInWriting {
    /// Notes that an ID token was taken; false when it was before.
    ///
    /// - Parameter time: Until when it would be taken, in milliseconds since 1970.
    func spendSignInToken(_ digest: TokenDigest, until time: Int64) throws -> Bool
    /// Forgets that an ID token was taken.
    func restoreSignInToken(_ digest: TokenDigest) throws
    /// Forgets ID tokens that would no longer be taken, `limit` of them at most; gives how many.
    func removeSignInTokens(endedBefore time: Int64, limit: Int) throws -> Int
}
