import Backstitch
import BackstitchSupport

extension ZoneServer {
    /// Removes all zones of a user, as when the user removes the app's data. Clients with extensions are told of the
    /// purge, so they do not upload the zones again.
    ///
    /// - Throws: ``ZoneServerError`` if the server does not run.
    public func purge(user: String, container: String, environment: String = "production") async throws {
        let service = try runningService()
        try await service.zones.purge(
            RequestScope(
                container: container, environment: environment,
                database: DatabaseKey(tenant: "\(container)/\(environment)", scope: .private, owner: user), user: user,
                mayWrite: true, extensions: false, limits: configuration.standardLimits, device: nil, baseURL: ""))
    }

    /// Honours these tokens and keys from now on, in addition to those of the storage. So users can come, change their
    /// tokens and go while the server runs. Push tokens, waiting long polls and upload addresses end at once if they
    /// were made with other tokens. Records stay.
    ///
    /// - Throws: ``ZoneServerError`` if the server does not run or is in development mode, and for tokens that could be
    ///   guessed or are shared by two users. It also throws if there are none at all, since that would let everyone in.
    ///   Nothing has changed then.
    public func setTokens(
        apiTokens: [TokenDigest], users: [ZoneServerConfiguration.User],
        serverKeys: [ZoneServerConfiguration.ServerKey] = []
    ) async throws {
        let service = try runningService()
        let hasAccounts =
            configuration.usesAccounts || !configuration.signInProviders.isEmpty
            || service.context.users.stored.hasIdentities
        guard !service.context.users.isDevelopment,
            hasAccounts || !(apiTokens.isEmpty && users.isEmpty && serverKeys.isEmpty)
        else {
            throw ZoneServerError(
                .insecureConfiguration,
                "a server does not change between development mode and one with tokens while it runs; make another one")
        }
        try ZoneServerConfiguration.check(apiTokens: apiTokens, users: users, serverKeys: serverKeys)
        service.context.users.replace(apiTokens: apiTokens, users: users, serverKeys: serverKeys)
        try await service.pushTokens.removeEnded()
    }

    /// Makes all sync tokens given so far invalid. Every client then reads everything again, and takes missing records
    /// for deleted. After a backup was restored, set ``ZoneServerConfiguration/isRestored`` instead.
    ///
    /// - Throws: ``ZoneServerError`` if the server does not run.
    public func invalidateSyncTokens() async throws {
        try await runningService().changes.invalidateTokens()
    }

    /// Runs the clean-up now. Otherwise the server runs it once a minute.
    package func cleanUp() async throws {
        try await CleanUp(runningService()).run()
    }

    private func runningService() throws(ZoneServerError) -> ZoneService {
        guard let service = state.withLock({ $0.service }) else {
            throw ZoneServerError(.wrongState, "the server does not run")
        }
        return service
    }
}
