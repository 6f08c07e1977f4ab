import CloudWire

/// A point in a zone's feed.
package struct FeedPosition: Sendable, Hashable {
    /// The life of the zone to which it belongs.
    package var epoch: Int64
    /// The last commit before it.
    package var sequence: Int64

    /// A point in a feed.
    package init(epoch: Int64, sequence: Int64) {
        self.epoch = epoch
        self.sequence = sequence
    }
}

// Of a server in development mode, in the private database of its user; of the default zone, in the public one.
extension ZoneApplication {
    /// Where a zone's feed stands; nil when there is no such zone.
    package func position(ofZone name: String, container: String) async throws -> FeedPosition? {
        try await service.storage.read { reading in
            guard let owner = try reading.owner(Self.database(container, ofZone: name)),
                let zone = try reading.zone(owner, named: name), zone.state == .live
            else { return nil }
            return FeedPosition(epoch: zone.epoch, sequence: zone.head)
        }
    }

    /// The point in a zone's feed that a token stands for; nil for one that is none of this server.
    ///
    /// - Parameter guest: The user whose token it is, where that is not the zone's owner.
    package func position(
        of token: String, zone: String, container: String, guest: String? = nil
    ) -> FeedPosition? {
        var feed = SyncToken.Feed(database: Self.database(container, ofZone: zone), zone: zone)
        if let guest {
            feed.zone = ZonePlace(owner: feed.database.owner, name: zone).key
            (feed.database.scope, feed.database.owner) = (.shared, guest)
        }
        guard let read = try? SyncToken.read(token, feed, service.signer) else { return nil }
        return FeedPosition(epoch: read.epoch, sequence: read.sequence)
    }

    private static func database(_ container: String, ofZone name: String) -> DatabaseKey {
        let isPublic = name == ZoneID.defaultZoneName
        return DatabaseKey(
            tenant: "\(container)/development", scope: isPublic ? .public : .private,
            owner: isPublic ? DatabaseKey.publicOwner : Authenticator.developmentUser)
    }
}
