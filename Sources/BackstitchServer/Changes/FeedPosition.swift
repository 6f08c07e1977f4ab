import CloudWire

/// A point in the feed of a zone, between two commits.
package struct FeedPosition: Sendable, Hashable {
    /// The epoch of the zone, which names its life.
    package var epoch: Int64
    /// The sequence of the last commit before the point.
    package var sequence: Int64

    /// Makes a point from an epoch and a sequence.
    package init(epoch: Int64, sequence: Int64) {
        self.epoch = epoch
        self.sequence = sequence
    }
}

// For a server in development mode. The default zone is taken from the public database, all others from the private
// one.
extension ZoneApplication {
    /// The end of a zone's feed; nil if the zone does not exist.
    package func position(ofZone name: String, container: String) async throws -> FeedPosition? {
        try await service.context.storage.read { reading in
            guard let owner = try reading.owner(Self.database(container, ofZone: name)),
                let zone = try reading.zone(owner, named: name), zone.state == .live
            else { return nil }
            return FeedPosition(epoch: zone.epoch, sequence: zone.head)
        }
    }

    /// The point in a zone's feed named by a token; nil for a token of another server or zone.
    ///
    /// - Parameter guest: The user of the token, if that is not the zone's owner.
    package func position(
        of token: String, zone: String, container: String, guest: String? = nil
    ) -> FeedPosition? {
        var feed = SyncToken.Feed(database: Self.database(container, ofZone: zone), zone: zone)
        if let guest {
            feed.zone = ZonePlace(owner: feed.database.owner, name: zone).key
            (feed.database.scope, feed.database.owner) = (.shared, guest)
        }
        guard let read = try? SyncToken.read(token, feed, service.context.signer) else { return nil }
        return FeedPosition(epoch: read.epoch, sequence: read.sequence)
    }

    /// The key of the database with a zone, for the user of the development mode.
    private static func database(_ container: String, ofZone name: String) -> DatabaseKey {
        let isPublic = name == ZoneID.defaultZoneName
        return DatabaseKey(
            tenant: "\(container)/development", scope: isPublic ? .public : .private,
            owner: isPublic ? DatabaseKey.publicOwner : Authenticator.developmentUser)
    }
}
