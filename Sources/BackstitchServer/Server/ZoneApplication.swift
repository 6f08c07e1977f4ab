import Backstitch
package import BackstitchSQLite
package import CloudWire
package import Hummingbird
package import NIOCore

/// A server without its sockets: a storage, the service above it, and the responder to requests.
package struct ZoneApplication: Sendable {
    private let storage: ZoneStorage
    let service: ZoneService
    /// The connections of incoming requests, if there are any.
    let connections: ConnectionRegistry
    let responder: ZoneResponder

    /// - Parameter assets: The place of assets' content; nil for the storage's own folder.
    init(
        storage: ZoneStorage, assets: (any AssetContentStore)? = nil, configuration: ZoneServerConfiguration,
        readiness: Readiness
    ) {
        self.storage = storage
        service = ZoneService(storage: storage, assets: assets, configuration: configuration)
        let room = DescriptorLimit.connections
        connections = ConnectionRegistry(
            total: room, perAddress: min(configuration.connectionsPerAddress, max(room / 2, 1)),
            proxies: configuration.trustedProxies, metrics: service.context.metrics)
        responder = ZoneResponder(
            service: service, connections: connections, configuration: configuration, readiness: readiness)
    }

    /// Creates a server with its storage in memory. Blocks.
    ///
    /// - Parameter database: One of ``databaseInMemory()``, in no other use.
    /// - Parameter isShared: Whether servers made by ``another()`` will use the storage at the same time.
    /// - Throws: ``ZoneServerError`` for an invalid configuration, or if there is no place for assets.
    package init(
        _ configuration: ZoneServerConfiguration, inMemory database: SQLiteDatabase, isShared: Bool = false
    ) throws {
        try configuration.validate()
        self.init(
            storage: try .inMemory(
                database, isShared: isShared, runner: configuration.runner, random: configuration.random),
            configuration: configuration, readiness: Readiness(clock: configuration.clock))
    }

    /// A database in memory with the tables of a storage. Blocks.
    package static func databaseInMemory() throws -> SQLiteDatabase { try ZoneStorage.databaseInMemory() }

    /// Another server of the same storage, without anything from the memory of this one. It acts as a second server, or
    /// as this one after a restart.
    ///
    /// - Parameter roles: The roles of its public database; nil for the same.
    package func another(publicRoles roles: PublicRoles? = nil) -> ZoneApplication {
        var configuration = responder.configuration
        if let roles { configuration.publicRoles = roles }
        return ZoneApplication(
            storage: storage, configuration: configuration, readiness: Readiness(clock: configuration.clock))
    }

    /// Answers a request that arrived on a connection.
    ///
    /// - Parameter channel: The connection of the request.
    package func respond(to request: Request, on channel: any Channel) async throws -> Response {
        let source = ZoneRequestContext.Source(channel: channel, logger: responder.configuration.logger)
        return try await responder.respond(to: request, context: ZoneRequestContext(source: source))
    }

    /// Waits for the next notification of a push token, as a long poll does, but without a watched connection. Returns
    /// nil if none arrives in time.
    ///
    /// - Throws: `WireError` for an unknown token.
    package func notification(forToken token: String, milliseconds: Int64) async throws -> PushNotification? {
        let mailbox = try await service.pushTokens.openMailbox(token: token).key
        let hub = service.context.push.hub, clock = responder.configuration.clock
        let poll = hub.begin(for: mailbox, milliseconds: milliseconds)
        return await withTaskGroup(of: Void.self) { group in
            group.addTask {
                do { try await clock.sleep(milliseconds: milliseconds) } catch {
                    // The poll was answered or given up. In both cases the wait is over.
                }
                hub.giveUp(poll)
            }
            defer { group.cancelAll() }
            return await hub.next(poll)
        }
    }

    /// The answer to a failed request.
    package static func answer(to error: WireError) -> Response { .failure(error) }

    /// Looks for changes by other servers of the storage, as a server does after their messages and by itself.
    package func lookAtPeers() async throws { try await service.notifier.lookAtPeers() }

    /// Does what the server does once a minute.
    package func cleanUp() async throws { try await CleanUp(service).run() }

    /// Makes all sync tokens invalid, as after a backup was restored.
    package func invalidateSyncTokens() async throws { try await service.changes.invalidateTokens() }

    /// Removes the assets of a storage in memory. Blocks.
    package func removeTemporaryAssets() throws { try storage.assets.removeIfTemporary() }
}
