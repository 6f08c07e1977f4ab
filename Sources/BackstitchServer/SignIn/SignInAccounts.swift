import CloudWire

/// The accounts into which users of providers sign in.
protocol SignInAccounts: Sendable {
    /// Gives the account of a provider's user, made at the first sign-in, and a new token for it.
    ///
    /// - Parameters:
    ///   - issuer: The provider. It and `subject` together name the user, and nothing else does: addresses may change
    ///     hands.
    ///   - subject: The provider's name for the user.
    ///   - emailAddress: The user's address, when the provider has verified it.
    ///   - nameComponents: The user's name, as far as the provider tells it.
    ///   - lifetime: Seconds for which the token is honoured.
    /// - Throws: `WireError` when the account may not sign in.
    func signIn(
        issuer: String, subject: String, emailAddress: String?, nameComponents: UserNameComponents, lifetime: Int
    ) async throws -> (userRecordName: String, webAuthToken: String)
}
