import Backstitch

/// The metadata of a single zone: each zone has its own.
enum ZoneState {
    /// The names of the properties that belong to one life of the zone.
    static let properties: Set<String> = [
        SyncProperty.token.name, SyncProperty.sweep.name, SyncProperty.setUp.name, SyncProperty.inFlight.name,
        SyncProperty.unanswered.name, SyncProperty.ended.name, SyncProperty.incarnation.name, SyncProperty.mark.name,
        SyncProperty.anchors.name, SyncProperty.history.name, SyncProperty.moved.name, SyncProperty.gone.name,
        SyncProperty.rotatedKeys.name, SyncProperty.rotationPart.name, SyncProperty.share.name,
        SyncProperty.keysRecord.name, SyncProperty.trustedKeys.name, SyncProperty.toldKey.name,
    ]
    /// These notes are per zone too: names of records are unique only in their zone.
    private static let notes = [
        SyncNotes.parked.prefix, SyncNotes.deferred.prefix, SyncNotes.departed.prefix,
        SyncNotes.deletedParents.prefix, SyncNotes.awaitedKey.prefix, SyncNotes.awaitedBytes.prefix,
        SyncNotes.awaitedValues.prefix, SyncNotes.takenKeys.prefix, SyncNotes.keyPin.prefix,
        SyncNotes.objectShares.prefix,
    ]

    static func has(_ key: String) -> Bool {
        properties.contains(key) || key == SyncProperty.parkedCount.name || notes.contains { key.hasPrefix($0) }
    }

    /// The name of a property as it is; of a note about a record, the prefix of its kind.
    static func kind(of name: String) -> String {
        properties.contains(name) ? name : notes.first { name.hasPrefix($0) } ?? name
    }

    /// The beginning of the keys of a further zone.
    static func prefix(of zone: Int64) -> String { "\(prefix)\(zone)/" }

    /// The beginning of the keys of all further zones.
    static let prefix = "sync.zone/"

    /// The zone of a key, and the name within the zone; nil for a key of another kind.
    static func zoneAndName(of key: String) -> (zone: Int64, name: String)? {
        let parts = key.dropFirst(prefix.count).split(separator: "/", maxSplits: 1)
        guard key.hasPrefix(prefix), parts.count == 2, let zone = Int64(parts[0]) else { return nil }
        return (zone, String(parts[1]))
    }
}
