import CloudWire

/// Pages of changes from a copy of the database that lags behind.
///
/// The database itself says first how far each zone has come and whether the tokens are good: one look at the rows of
/// zones. Then a copy may serve a page
/// - of the same life of the zone, if it has come at least as far as the token: so no device goes back;
/// - which ends before the zone's end there, since what lies before a commit never changes for a reader of the feed;
/// - or which ends the zone, if the copy has come as far as the database had when it was asked: so a device finds what
///   it was told of, and what it has pushed itself.
///
/// Everything else, and each mistake of a request, is read from the database.
extension ZoneService {
    /// The state of a zone in the database.
    private struct Promise: Sendable {
        let zone: StoredZone
        let cursor: Int64
    }

    /// - Parameter read: Reads the pages from a snapshot.
    /// - Returns: Nil when the database itself must be read.
    func replicaPages(
        _ questions: [ZoneChangesRequest.Zone], limit: Int, _ scope: RequestScope,
        _ read: @escaping @Sendable (any ZoneReading) throws -> [Result<Page, WireError>]
    ) async throws -> [Result<Page, WireError>]? {
        // Rights to zones of others end at once.
        guard storage.hasReplicas, scope.database.scope != .shared,
            !questions.contains(where: { $0.reverse == true })
        else { return nil }
        guard let promises = try await storage.read({ try promises(questions, scope, $0) }) else { return nil }
        let reading = try await storage.readFromReplica { replica -> [Result<Page, WireError>]? in
            // A look at the rows of zones is cheap; pages that cannot be used are not.
            guard try mayServe(promises, limit: limit, scope, replica) else { return nil }
            let pages = try read(replica)
            return Self.areGood(pages, promises) ? pages : nil
        }
        metrics.replicas.note(reading)
        if case .served(let pages) = reading { return pages }
        return nil
    }

    /// The zones, if all of them are there and their tokens good.
    private func promises(
        _ questions: [ZoneChangesRequest.Zone], _ scope: RequestScope, _ reading: any ZoneReading
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
                guard let read = try? readToken(token, of: zone, .zone, scope) else { return nil }
                cursor = read.sequence
            }
            promises.append(Promise(zone: zone, cursor: cursor))
        }
        return promises
    }

    /// Whether a copy has the zones in the same life, as far as the tokens, and to the end or at least a page more.
    private func mayServe(
        _ promises: [Promise], limit: Int, _ scope: RequestScope, _ replica: any ZoneReading
    ) throws -> Bool {
        guard let owner = try replica.owner(scope.database) else { return false }
        return try promises.allSatisfy { promise in
            guard let zone = try replica.zone(owner, named: promise.zone.name), Self.isSameLife(zone, promise.zone),
                zone.head >= promise.cursor
            else { return false }
            // A commit has a record at least, though perhaps a later one has taken it along.
            return zone.head >= promise.zone.head || zone.head - promise.cursor > limit
        }
    }

    private static func isSameLife(_ zone: StoredZone, _ other: StoredZone) -> Bool {
        zone.zoneID == other.zoneID && zone.epoch == other.epoch && zone.state == other.state
    }

    private static func areGood(_ pages: [Result<Page, WireError>], _ promises: [Promise]) -> Bool {
        zip(pages, promises).allSatisfy { result, promise in
            guard case .success(let page) = result, isSameLife(page.stored.zone, promise.zone) else { return false }
            return page.stored.moreComing || page.stored.zone.head >= promise.zone.head
        }
    }
}
