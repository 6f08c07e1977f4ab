package import Backstitch
import BackstitchSupport

// The stored list of requests followed by a store.
extension JournalingStore {
    /// Adds a request to the list, unless it is already there; see ``SyncFollowing/start(_:)``.
    func follow(_ request: FollowedRequest, _ model: SyncedModel) throws {
        _ = try FollowedQuery.queries(of: request, in: model)
        try writeJournal(author: SyncAuthor.name) { journal in
            var list = FollowList(requests: try journal.followedRequests())
            guard !list.requests.contains(where: request.isSame) else { return }
            list.requests.append(request)
            try list.checkCount(model)
            try journal.set(.followed, to: list)
        }
    }

    /// Removes a request from the list; see ``SyncFollowing/stop(_:keepsObjects:)``.
    ///
    /// - Returns: The removed objects.
    func unfollow(
        _ request: FollowedRequest, _ model: SyncedModel, _ generation: SyncGeneration, keepsObjects: Bool
    ) throws -> [ObjectID] {
        try generation.reset(self) { try $0.unfollow(request, model, keepsObjects: keepsObjects) }
    }

    /// The requests on the list, with the progress of each.
    func followed(_ model: SyncedModel) throws -> [FollowedRequest] {
        try readJournal { journal in
            let position = try FollowPosition(try journal.value(of: .token))
            return try journal.followedRequests().map { request in
                var request = request
                request.state = position.state(of: request, model)
                return request
            }
        }
    }
}

extension JournalReading {
    /// The token of the followed queries' feed, as far as it was read; nil if there is no feed.
    package func followedFeedToken() throws -> String? { try FollowPosition.feed(in: try changeToken(ofZone: 0)) }
}

// The simulator has no controller and uses these.
extension SyncParts {
    /// Follows a part of the public database.
    package func follow(_ request: FollowedRequest) throws {
        try services.backing.follow(request, services.settings.model)
    }

    /// Ends the following of a part of the public database.
    package func unfollow(_ request: FollowedRequest, keepsObjects: Bool) throws {
        let settings = services.settings
        _ = try services.store.unfollow(request, settings.model, settings.generation, keepsObjects: keepsObjects)
    }

    /// The followed parts of the public database.
    package func followed() throws -> [FollowedRequest] { try services.store.followed(services.settings.model) }
}

extension FollowList {
    /// Checks the limits of the list.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` for too many requests or queries.
    fileprivate func checkCount(_ model: SyncedModel) throws {
        guard requests.count <= FollowedRequest.maximumCount else {
            throw BackstitchError(
                .invalidRequest,
                "a store follows \(FollowedRequest.maximumCount) requests at most; stop following one, or follow one "
                    + "wider request")
        }
        let count = requests.reduce(0) { $0 + ((try? FollowedQuery.queries(of: $1, in: model).count) ?? 0) }
        guard count <= FollowedQuery.maximumCount else {
            throw BackstitchError(
                .invalidRequest,
                "the followed requests are of \(count) entities with their subentities; a store follows "
                    + "\(FollowedQuery.maximumCount) at most")
        }
    }
}

extension FollowPosition {
    /// The progress of a request.
    fileprivate func state(of request: FollowedRequest, _ model: SyncedModel) -> FollowedRequest.State {
        do {
            let found = try FollowedQuery.queries(of: request, in: model).map { places[$0.id] }
            if let reason = found.lazy.compactMap({ $0?.refusal }).first { return .refused(reason: reason) }
            return found.allSatisfy { $0?.isReading == false } ? .current : .waiting
        } catch { return .refused(reason: "\(error)") }
    }
}

extension JournalWriting {
    /// Removes a request from the list, and deletes objects that no other request has brought.
    ///
    /// - Returns: The removed objects.
    fileprivate func unfollow(
        _ request: FollowedRequest, _ model: SyncedModel, keepsObjects: Bool
    ) throws -> [ObjectID] {
        var list = FollowList(requests: try followedRequests())
        guard let place = list.requests.firstIndex(where: request.isSame) else {
            throw BackstitchError(
                .invalidRequest, "the store does not follow \(request.entityName) by this predicate; see followed()")
        }
        list.requests.remove(at: place)
        try set(.followed, to: list)
        guard !keepsObjects, let ended = try? FollowedQuery.queries(of: request, in: model) else { return [] }
        let others = try followedQueries(model)
        var position = try value(of: .token).map { try FollowPosition($0) }
        var gone: [ObjectID] = []
        for query in ended where !others.contains(where: { $0.id == query.id }) {
            // The request may be followed again before the next pull. The pull must not take it for read.
            position?.places[query.id]?.readAgain()
            position?.unswept[query.id] = nil
            let entity = query.entity.entity
            let rivals = others.filter { $0.entity.entity.name == entity.name }
            for part in try allKeys(of: entity).parts(of: 1_000) {
                let states = try recordStates(for: Array(part)).values.filter { $0.objectID.entityName == entity.name }
                let kept = Set(try clean(Array(states), fulfilling: rivals).map(\.objectID))
                let ids = try clean(Array(states), fulfilling: [query]).map(\.objectID).filter { !kept.contains($0) }
                try delete(ids.map(\.key), of: entity)
                try endRecords(ids.map(\.key), model)
                gone += ids
            }
        }
        if let position { try set(.token, to: try position.text) }
        return gone
    }
}
