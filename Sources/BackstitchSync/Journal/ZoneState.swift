import Backstitch

/// The metadata that belong to one zone, of which each has its own.
enum ZoneState {
    /// Those that go with one life of the zone.
    static let properties: Set<String> = [
        SyncProperty.token.name, SyncProperty.sweep.name, SyncProperty.setUp.name, SyncProperty.inFlight.name,
        SyncProperty.unanswered.name, SyncProperty.ended.name, SyncProperty.incarnation.name, SyncProperty.mark.name,
        SyncProperty.anchors.name, SyncProperty.history.name, SyncProperty.moved.name, SyncProperty.gone.name,
        SyncProperty.rotatedKeys.name, SyncProperty.rotationPart.name, SyncProperty.share.name,
        SyncProperty.keysRecord.name, SyncProperty.trustedKeys.name, SyncProperty.toldKey.name,
    ]
    /// Records are told apart by their names, which are those of one zone.
    private static let notes = [
        SyncNotes.parked.prefix, SyncNotes.deferred.prefix, SyncNotes.departed.prefix,
        SyncNotes.bereft.prefix, SyncNotes.awaitedKey.prefix, SyncNotes.awaitedBytes.prefix,
        SyncNotes.awaitedValues.prefix, SyncNotes.keyPin.prefix, SyncNotes.objectShares.prefix,
    ]

    static func has(_ key: String) -> Bool {
        properties.contains(key) || key == SyncProperty.parkedCount.name || notes.contains { key.hasPrefix($0) }
    }

    /// Begins the keys of a zone that is not the main one.
    static func prefix(of zone: Int64) -> String { "\(prefix)\(zone)/" }

    /// Begins the keys of all zones that are not the main one.
    static let prefix = "sync.zone/"

    /// The zone whose key that is, and the name there; nil for a key of another kind.
    static func zoneAndName(of key: String) -> (zone: Int64, name: String)? {
        let parts = key.dropFirst(prefix.count).split(separator: "/", maxSplits: 1)
        guard key.hasPrefix(prefix), parts.count == 2, let zone = Int64(parts[0]) else { return nil }
        return (zone, String(parts[1]))
    }
}
