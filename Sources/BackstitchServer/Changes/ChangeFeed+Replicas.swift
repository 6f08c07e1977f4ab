import CloudWire

/// Pages of changes from a read replica, which may lag behind the database.
///
/// First the database itself gives the state of each zone and checks the tokens. That is one look at the rows of zones.
/// Then a replica may serve a page in the same life of the zone, on two conditions:
/// - The replica has reached the sequence of the token. So no device goes back.
/// - The page ends before the zone's end in the replica, or the replica has reached the database's state at the time of
///   the question. In the first case later commits cannot change the page. In the second case a device finds every
///   change it was told of, and its own pushes.
///
/// Everything else, and each invalid request, is read from the database.
extension ChangeFeed {
    /// The state of a zone in the database, and the point at which a reader continues.
    private struct Promise: Sendable {
        let zone: StoredZone
        let cursor: Int64
    }

    /// Reads pages from a replica, if one is good enough.
    ///
    /// - Parameter read: Reads the pages from a snapshot.
    /// - Returns: nil if the database itself must be read.
    func replicaPages(
        _ questions: [ZoneChangesRequest.Zone], limit: Int, _ scope: RequestScope,
        _ read: @escaping @Sendable (ZoneSnapshot) throws -> [Result<Page, WireError>]
    ) async throws -> [Result<Page, WireError>]? {
        // Rights to zones of other users must end at once, so these zones are always read from the database.
        guard server.storage.hasReplicas, scope.database.scope != .shared,
            !questions.contains(where: { $0.reverse == true })
        else { return nil }
        guard let promises = try await server.storage.read({ try promises(questions, scope, $0) }) else { return nil }
        let reading = try await server.storage.readFromReplica { replica -> [Result<Page, WireError>]? in
            // The rows of zones are cheap to read; unusable pages would not be.
            guard try mayServe(promises, limit: limit, scope, replica) else { return nil }
            let pages = try read(replica)
            return Self.areGood(pages, promises) ? pages : nil
        }
        server.metrics.replicas.note(reading)
        if case .served(let pages) = reading { return pages }
        return nil
    }

    /// The states of the zones; nil if a zone does not exist or a token is not good.
    private func promises(
        _ questions: [ZoneChangesRequest.Zone], _ scope: RequestScope, _ reading: ZoneSnapshot
    ) throws -> [Promise]? {
        guard let owner = try reading.owner(scope.database) else { return nil }
        var promises: [Promise] = []
        for question in questions {
            guard let place = try? scope.place(of: question.zoneID),
                let zone = try reading.zone(owner, named: place.name),
                zone.state == .live
            else { return nil }
            var cursor: Int64 = 0
            if let token = question.syncToken {
                guard let read = try? server.readToken(token, of: zone, .zone, scope) else { return nil }
                cursor = read.sequence
            }
            promises.append(Promise(zone: zone, cursor: cursor))
        }
        return promises
    }

    /// Whether a replica has the zones in the same life, and far enough.
    ///
    /// It must have reached the token, and either the zone's end or more than one further page.
    private func mayServe(
        _ promises: [Promise], limit: Int, _ scope: RequestScope, _ replica: ZoneSnapshot
    ) throws -> Bool {
        guard let owner = try replica.owner(scope.database) else { return false }
        return try promises.allSatisfy { promise in
            guard let zone = try replica.zone(owner, named: promise.zone.name), Self.isSameLife(zone, promise.zone),
                zone.head >= promise.cursor
            else { return false }
            // A commit has at least one record, but a later commit may have replaced it. So the pages are checked
            // afterwards.
            return zone.head >= promise.zone.head || zone.head - promise.cursor > limit
        }
    }

    /// Whether two states of a zone belong to the same life of it.
    private static func isSameLife(_ zone: StoredZone, _ other: StoredZone) -> Bool {
        zone.zoneID == other.zoneID && zone.epoch == other.epoch && zone.state == other.state
    }

    /// Whether each page ends before the zone's end in the replica, or the replica is up to date.
    private static func areGood(_ pages: [Result<Page, WireError>], _ promises: [Promise]) -> Bool {
        zip(pages, promises).allSatisfy { result, promise in
            guard case .success(let page) = result, isSameLife(page.stored.zone, promise.zone) else { return false }
            return page.stored.moreComing || page.stored.zone.head >= promise.zone.head
        }
    }
}
