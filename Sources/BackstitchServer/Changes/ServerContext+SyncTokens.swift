import CloudWire

extension ServerContext {
    /// A token of a zone's feed, for its present end or another sequence.
    func token(
        _ zone: StoredZone, _ scope: RequestScope, sequence: Int64? = nil, kind: SyncToken.Kind = .zone,
        floor: Int64 = 0
    ) -> String {
        SyncToken(kind: kind, epoch: zone.epoch, sequence: sequence ?? zone.head, floor: floor).text(
            SyncToken.Feed(database: scope.database, zone: zone.place.key), signer)
    }

    /// Reads a token of a zone's feed, and compares it with the present state of the zone.
    func readToken(
        _ text: String, of zone: StoredZone, _ kind: SyncToken.Kind, _ scope: RequestScope
    ) throws(SyncToken.Fault) -> SyncToken {
        let token = try SyncToken.read(text, SyncToken.Feed(database: scope.database, zone: zone.place.key), signer)
        // Reading the newest first begins without any records, so no deletion can be missed.
        try token.check(kind: kind, epoch: zone.epoch, head: zone.head, floor: kind == .zone ? zone.floor : 0)
        return token
    }

    /// Reads a token of a zone's feed. A token from before the first write means the beginning of the feed.
    func readFeedToken(
        _ text: String, of zone: StoredZone, _ scope: RequestScope
    ) throws(SyncToken.Fault) -> SyncToken {
        let feed = SyncToken.Feed(database: scope.database, zone: zone.place.key)
        let token = try SyncToken.read(text, feed, signer)
        guard token.kind == .zone, token.epoch == 0, zone.place.isDefault else {
            return try readToken(text, of: zone, .zone, scope)
        }
        guard zone.floor == 0 else { throw .expired }
        return token
    }
}
