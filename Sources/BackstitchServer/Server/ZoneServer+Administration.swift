import Synchronization

extension ZoneServer {
    /// Removes all zones of a user, as when the user removes the app's data. Clients with extensions are told that the
    /// zones were purged, so that they do not upload them again.
    ///
    /// - Throws: ``ZoneServerError`` when the server does not run.
    public func purge(user: String, container: String, environment: String = "production") async throws {
        let service = try runningService()
        try await service.purge(
            RequestScope(
                container: container, environment: environment,
                database: DatabaseKey(tenant: "\(container)/\(environment)", scope: .private, owner: user), user: user,
                mayWrite: true, extensions: false, limits: configuration.standardLimits, device: nil, baseURL: ""))
    }

    /// Makes all sync tokens given so far invalid, so that every client reads everything again. Call it after a backup
    /// was restored: clients may know of changes that the backup does not hold.
    ///
    /// - Throws: ``ZoneServerError`` when the server does not run.
    public func invalidateSyncTokens() async throws {
        let service = try runningService()
        try await service.storage.write { [random = service.random] writing in
            try writing.renewEpochs { random.identifier() }
        }
    }

    /// Does now what the server does once a minute.
    package func cleanUp() async throws {
        try await runningService().cleanUp()
    }

    private func runningService() throws(ZoneServerError) -> ZoneService {
        guard let service = state.withLock({ $0.service }) else {
            throw ZoneServerError(.wrongState, "the server does not run")
        }
        return service
    }
}
