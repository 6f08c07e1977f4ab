import Backstitch
import BackstitchSupport
import CloudWire

extension Identities: SignInAccounts {
    /// Signs a user in: finds the account bound to the provider's user, or makes one, and makes a web token for it.
    ///
    /// The account is found by issuer and subject, never by the address. An address can pass to another person, and a
    /// provider may not have verified it. A new account takes the address and the name. An existing account takes only
    /// the values it lacks. A malformed address, or one of another account, is left out.
    ///
    /// A user has at most ``IdentityLimits/tokens`` tokens. The oldest ones beyond that are removed.
    ///
    /// - Parameters:
    ///   - issuer: The provider's name in its tokens (`iss`).
    ///   - subject: The user's name at the provider (`sub`).
    ///   - emailAddress: An address verified by the provider.
    ///   - lifetime: Validity of the token. The server renews it while it is in use.
    /// - Returns: the account's record name, and the token. The storage keeps only a digest of the token.
    /// - Throws: ``IdentityError`` for a malformed issuer or subject, and for a lifetime out of range.
    func signIn(
        issuer: String, subject: String, emailAddress: String?, nameComponents: UserNameComponents, lifetime: Duration
    ) async throws -> (userRecordName: String, webAuthToken: String) {
        guard (1...2_000).contains(issuer.utf8.count), RecordRules.isValidUser(subject) else {
            throw IdentityError(.invalid, "a provider's user has an issuer and a subject of 1 to 255 bytes")
        }
        let milliseconds = try Self.milliseconds(lifetime)
        let token = secret(), id = tokenID(), name = recordName(), now = now
        let account = try await changeUnlocked { writing, effects in
            let account = try Self.account(
                issuer, subject, orMake: StoredAccount(name: name, created: now), emailAddress, nameComponents, writing)
            try writing.insert(
                StoredCredential(
                    digest: TokenDigest(of: token), id: id, kind: .web, account: account, label: "signed in",
                    created: now, expires: now + milliseconds, lifetime: milliseconds))
            if try writing.removeOldestCredentials(of: account, beyond: IdentityLimits.tokens) > 0 {
                effects.accounts = [ByteText(account)]
            }
            return account
        }
        return (account, token)
    }

    /// The record name of the account bound to a provider's user.
    ///
    /// - Parameter fresh: The account to insert if there is none.
    private static func account(
        _ issuer: String, _ subject: String, orMake fresh: StoredAccount, _ emailAddress: String?,
        _ components: UserNameComponents, _ writing: ZoneTransaction
    ) throws -> String {
        var bound = try writing.account(issuer: issuer, subject: subject)
        if bound == nil {
            // If a user signs in twice at once, only one sign-in makes the account.
            try writing.lockIdentity()
            bound = try writing.account(issuer: issuer, subject: subject)
        }
        var account = bound ?? fresh
        if account.components == UserNameComponents(), components.parts.allSatisfy(RecordRules.isValidUser) {
            account.components = components
        }
        if account.emailAddress == nil, let emailAddress, ZoneServerConfiguration.isAddress(emailAddress) {
            // The lock also keeps two accounts from taking the address at once.
            try writing.lockIdentity()
            if try writing.account(addressed: emailAddress) == nil { account.emailAddress = emailAddress }
        }
        if bound == nil {
            try writing.insert(account)
            try writing.bind(issuer: issuer, subject: subject, to: account.name, at: fresh.created)
        } else if account != bound {
            try writing.update(account)
        }
        return account.name
    }
}
