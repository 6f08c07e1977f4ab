import Backstitch
import BackstitchSupport
import CloudWire

extension Identities {
    /// Lets a user in who has signed in at a provider: finds the account that is bound to the provider's user, or makes
    /// one, and makes a web token for it.
    ///
    /// The account is found by issuer and subject, never by the address: an address can pass to another person, and a
    /// provider may not have verified it. A new account takes address and name; one that is there takes those that it
    /// lacks. An address that is none, or that another account has, is left out.
    ///
    /// A user has at most ``IdentityLimits/tokens`` tokens: the oldest ones end.
    ///
    /// - Parameters:
    ///   - issuer: The provider, as its tokens name it (`iss`).
    ///   - subject: The user, as the provider names it (`sub`).
    ///   - emailAddress: One that the provider has verified.
    ///   - lifetime: For how long the token is good. The server renews it while it is used.
    /// - Returns: the account's record name, and the token, which is kept as a digest only.
    /// - Throws: ``IdentityError`` for a provider or a user without a name.
    func signIn(
        issuer: String, subject: String, emailAddress: String?, nameComponents: UserNameComponents?, lifetime: Duration
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

    /// The record name of the account that is bound to a provider's user.
    ///
    /// - Parameter fresh: The account where there is none.
    private static func account(
        _ issuer: String, _ subject: String, orMake fresh: StoredAccount, _ emailAddress: String?,
        _ components: UserNameComponents?, _ writing: any ZoneWriting
    ) throws -> String {
        var bound = try writing.account(issuer: issuer, subject: subject)
        if bound == nil {
            // Of two who come at once one makes it.
            try writing.lockIdentity()
            bound = try writing.account(issuer: issuer, subject: subject)
        }
        var account = bound ?? fresh
        if account.components == UserNameComponents(), let components, isValid(components) {
            account.components = components
        }
        if account.emailAddress == nil, let emailAddress, ZoneServerConfiguration.isAddress(emailAddress) {
            // Held back by the lock too, or two accounts could take it at once.
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

    /// - Throws: ``IdentityError`` for a time of less than a minute or of more than ten years.
    static func milliseconds(_ lifetime: Duration) throws(IdentityError) -> Int64 {
        guard lifetime >= .seconds(60), lifetime <= .seconds(3_660 * 86_400) else {
            throw IdentityError(.invalid, "a token is good for a minute at least and for ten years at most")
        }
        return lifetime.components.seconds * 1_000
    }

    static func isValid(_ components: UserNameComponents) -> Bool {
        [
            components.namePrefix, components.givenName, components.middleName, components.familyName,
            components.nameSuffix, components.nickname, components.phoneticRepresentation,
        ].allSatisfy { $0.map(RecordRules.isValidUser) ?? true }
    }
}

extension ZoneService: SignInAccounts {
    /// The accounts into which users of providers sign in.
    var signInAccounts: any SignInAccounts { configuration.signInAccounts ?? self }

    /// Lets a user in who has signed in at a provider; see
    /// ``Identities/signIn(issuer:subject:emailAddress:nameComponents:lifetime:)``.
    ///
    /// - Parameter lifetime: Seconds.
    func signIn(
        issuer: String, subject: String, emailAddress: String?, nameComponents: UserNameComponents, lifetime: Int
    ) async throws -> (userRecordName: String, webAuthToken: String) {
        try await identities.signIn(
            issuer: issuer, subject: subject, emailAddress: emailAddress, nameComponents: nameComponents,
            lifetime: .seconds(lifetime))
    }
}
