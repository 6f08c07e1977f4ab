public import Backstitch
import BackstitchSupport

// The parts of the public database that a store follows.
extension SyncController {
    /// Follows a part of the public database: its objects come with the next sync, which begins at once where the store
    /// syncs by itself, and are kept as the server has them from then on. The network need not be there.
    ///
    /// ```swift
    /// let sync = try container.sync(of: publicStore)
    /// try await sync.follow(FetchRequest<Notice>(where: "city == %@ AND date >= %@", "Bern", today))
    /// ```
    /// The store remembers it, over restarts too. A request that is followed already is followed once.
    ///
    /// Objects that no longer fulfil the predicate, as others have changed them, go from this device; those with unsent
    /// changes stay. Links to objects that are not followed read as nil.
    ///
    /// - Parameter request: Its entity, predicate and ``Backstitch/FetchRequest/includesSubentities``; its order means
    ///   nothing. The server evaluates the predicate: comparisons of attributes and to-one relationships with
    ///   constants, joined by AND (`==`, `!=`, `<`, `<=`, `>`, `>=`, `BETWEEN`, `IN`, `BEGINSWITH`), 15 at most.
    /// - Returns: The request as it is followed.
    /// - Throws: ``BackstitchError/Code/invalidPredicate`` for a predicate that the server cannot evaluate, naming the
    ///   part; ``BackstitchError/Code/invalidRequest`` in a store of another database, for an entity that the store
    ///   does not have, for a limit or offset, and for more than ``FollowedRequest/maximumCount`` requests. Nothing has
    ///   changed then.
    @discardableResult
    public func follow<Object>(_ request: FetchRequest<Object>) async throws -> FollowedRequest {
        guard request.limit == nil, request.offset == 0 else {
            throw BackstitchError(
                .invalidRequest, "a request with a limit or an offset cannot be followed; leave them out")
        }
        return try await follow(try followed(by: request))
    }

    /// Follows a part of the public database, as ``follow(_:)`` with a fetch request does.
    @discardableResult
    public func follow(_ request: FollowedRequest) async throws -> FollowedRequest {
        try requirePublic()
        let model = services.settings.model
        try await services.onWholeStore { try $0.follow(request, model) }
        beginCycle("a request is followed")
        return try await followed().first(where: request.isSame) ?? request
    }

    /// Follows a part of the public database no more. What it has brought goes from this device, but for what other
    /// followed requests ask for and what has unsent changes; nothing changes on the server.
    ///
    /// - Parameter keepsObjects: Whether everything stays. Nobody keeps it up to date then; an object goes by
    ///   ``removeLocally(_:)``.
    /// - Throws: ``BackstitchError/Code/invalidRequest`` in a store of another database, and for a request that is not
    ///   followed; the store's errors. Nothing has changed then.
    public func unfollow<Object>(_ request: FetchRequest<Object>, keepsObjects: Bool = false) async throws {
        try await unfollow(try followed(by: request), keepsObjects: keepsObjects)
    }

    /// Follows a part of the public database no more, as ``unfollow(_:keepsObjects:)`` with a fetch request does.
    public func unfollow(_ request: FollowedRequest, keepsObjects: Bool = false) async throws {
        try requirePublic()
        let (model, generation) = (services.settings.model, services.settings.generation)
        let gone = try await services.onStore {
            try $0.unfollow(request, model, generation, keepsObjects: keepsObjects)
        }
        services.announce(StoreChanges(deleted: gone))
        beginCycle("a request is followed no more")
    }

    /// The parts of the public database that the store follows, in the order in which that began, with how far it is
    /// with each.
    ///
    /// - Throws: The store's errors. In a store of another database there are none.
    public func followed() async throws -> [FollowedRequest] {
        let model = services.settings.model
        guard services.client.options.database == .public else { return [] }
        return try await services.onStore { try $0.followed(model) }
    }

    private func followed<Object>(by request: FetchRequest<Object>) throws -> FollowedRequest {
        let named = request.entityName ?? services.settings.model.model.entity(for: Object.self)?.name
        guard let named else {
            throw BackstitchError(
                .invalidRequest, "the request names no entity, and \(Object.self) is no class of one of the model's")
        }
        return FollowedRequest(
            entityName: named, predicate: request.predicate, includesSubentities: request.includesSubentities)
    }

    private func requirePublic() throws {
        let database = services.client.options.database
        guard database != .public else { return }
        throw BackstitchError(
            .invalidRequest,
            "a store of the \(database.rawValue) database has all of its zones, and follows nothing; open a store with the "
                + "option syncDatabase: \"public\"")
    }

    private func beginCycle(_ reason: SyncReason) {
        guard services.client.options.isAutomatic else { return }
        driver.tell(.trigger(reason, ticket: nil))
    }
}
