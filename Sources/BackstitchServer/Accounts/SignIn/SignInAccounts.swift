import CloudWire

/// The accounts for the sign-in of providers' users.
protocol SignInAccounts: Sendable {
    /// Returns the account of a provider's user, made at the first sign-in, and a new token for it.
    ///
    /// - Parameters:
    ///   - issuer: The provider. Only issuer and `subject` together name the user, since addresses may change hands.
    ///   - subject: The provider's name for the user.
    ///   - emailAddress: The user's address, if the provider has verified it.
    ///   - nameComponents: The user's name, as far as the provider tells it.
    ///   - lifetime: Validity of the token. The server renews it while it is in use.
    /// - Throws: `WireError` if the account may not sign in.
    func signIn(
        issuer: String, subject: String, emailAddress: String?, nameComponents: UserNameComponents, lifetime: Duration
    ) async throws -> (userRecordName: String, webAuthToken: String)
}
