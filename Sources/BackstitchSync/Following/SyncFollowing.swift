public import Backstitch
import BackstitchSupport

/// The parts of the public database that a store follows.
public struct SyncFollowing: Sendable, SyncSubject {
    let sync: SyncController

    /// Follows a part of the public database. Its objects come with the next sync, and then always have the server's
    /// values. If the store syncs by itself, the next sync begins at once. The call needs no network.
    ///
    /// ```swift
    /// let sync = try container.sync(of: publicStore)
    /// try await sync.following.start(FetchRequest<Notice>(where: "city == %@ AND date >= %@", "Bern", today))
    /// ```
    /// The store remembers the request, also over restarts. To follow the same request again has no effect.
    ///
    /// If other users change objects so that they no longer fulfil the predicate, they are deleted from this device.
    /// Objects with unsent changes stay. Links to unfollowed objects read as nil.
    ///
    /// - Parameter request: Its entity, predicate and ``Backstitch/FetchRequest/includesSubentities``; its order is
    ///   ignored. The server evaluates the predicate: comparisons of attributes and to-one relationships with
    ///   constants, joined by AND (`==`, `!=`, `<`, `<=`, `>`, `>=`, `BETWEEN`, `IN`, `BEGINSWITH`), 15 at most.
    /// - Returns: The followed request, with its progress.
    /// - Throws: ``BackstitchError/Code/invalidPredicate`` for a predicate that the server cannot evaluate, naming the
    ///   part; ``BackstitchError/Code/invalidRequest`` in a store of another database, for an entity outside the store,
    ///   for a limit or offset, and for more than ``FollowedRequest/maximumCount`` requests. After an error nothing has
    ///   changed.
    @discardableResult
    public func start<Object>(_ request: FetchRequest<Object>) async throws -> FollowedRequest {
        guard request.limit == nil, request.offset == 0 else {
            throw BackstitchError(
                .invalidRequest, "a request with a limit or an offset cannot be followed; leave them out")
        }
        return try await start(try followed(by: request))
    }

    /// Follows a part of the public database, as ``start(_:)`` with a fetch request does.
    @discardableResult
    public func start(_ request: FollowedRequest) async throws -> FollowedRequest {
        try requirePublic()
        let model = services.settings.model
        try await services.onWholeStore { try $0.follow(request, model) }
        beginCycle("a request is followed")
        return try await requests().first(where: request.isSame) ?? request
    }

    /// Ends the following of a part of the public database. Its objects are deleted from this device. Objects of other
    /// followed requests stay, and objects with unsent changes. Nothing changes on the server.
    ///
    /// - Parameter keepsObjects: Whether all objects stay. They are then no longer updated;
    ///   ``SyncObjects/removeLocally(_:)`` removes one.
    /// - Throws: ``BackstitchError/Code/invalidRequest`` in a store of another database, and for a request that is not
    ///   followed; the store's errors. After an error nothing has changed.
    public func stop<Object>(_ request: FetchRequest<Object>, keepsObjects: Bool = false) async throws {
        try await stop(try followed(by: request), keepsObjects: keepsObjects)
    }

    /// Ends the following of a part of the public database, as ``stop(_:keepsObjects:)`` with a fetch request does.
    public func stop(_ request: FollowedRequest, keepsObjects: Bool = false) async throws {
        try requirePublic()
        let (model, generation) = (services.settings.model, services.settings.generation)
        let gone = try await services.onStore {
            try $0.unfollow(request, model, generation, keepsObjects: keepsObjects)
        }
        services.announce(StoreChanges(deleted: gone))
        beginCycle("a request is no longer followed")
    }

    /// The followed parts of the public database, in the order of their addition, with the progress of each. Empty in a
    /// store of another database.
    ///
    /// - Throws: The store's errors.
    public func requests() async throws -> [FollowedRequest] {
        let model = services.settings.model
        guard services.client.options.database == .public else { return [] }
        return try await services.onStore { try $0.followed(model) }
    }

    private func followed<Object>(by request: FetchRequest<Object>) throws -> FollowedRequest {
        let named = request.entityName ?? services.settings.model.model.entity(for: Object.self)?.name
        guard let named else {
            throw BackstitchError(
                .invalidRequest, "the request names no entity, and no entity of the model has the class \(Object.self)")
        }
        return FollowedRequest(
            entityName: named, predicate: request.predicate, includesSubentities: request.includesSubentities)
    }

    private func requirePublic() throws {
        let database = services.client.options.database
        guard database != .public else { return }
        throw BackstitchError(
            .invalidRequest,
            "a store of the \(database.rawValue) database has whole zones, and cannot follow requests; open a "
                + "store with the option syncDatabase: \"public\"")
    }

    private func beginCycle(_ reason: SyncReason) {
        guard services.client.options.isAutomatic else { return }
        driver.tell(.trigger(reason, ticket: nil))
    }
}
