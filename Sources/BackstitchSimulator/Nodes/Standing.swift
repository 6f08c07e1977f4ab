import Backstitch
import BackstitchSync

/// How far a device is with the others, as its store says.
struct Standing {
    let waiting: Int
    let blocked: Int
    /// Of the changes that wait those whose objects are on their way to another zone.
    let onTheWay: Int
    /// Objects that it takes from one zone to another.
    let moves: Int
    /// Of the changes that wait those by which nothing but the key of a record becomes another one.
    let encryptedAnew: Int
    /// Records that cannot become objects yet.
    let parked: Int
    /// Assets that are to be downloaded.
    let assets: Int
    /// When those of them are tried again at the latest that could not be had, in milliseconds since 1970.
    let nextTries: [Int64]
    /// How far the zone of the world is here, or the feed of what is followed.
    let token: String?
    /// Whether everything is being read again.
    let isFetchingAll: Bool
    /// The tokens of the zones beside the main one, by their names.
    let further: [String: String?]
    /// Whether it has the zone of the world: not on a guest's device where nobody shares it.
    let hasZone: Bool

    init(_ journal: any JournalReading, _ database: SyncDatabase) throws {
        // The zone of the world is somebody else's.
        let isGuest = database == .shared
        (waiting, blocked) = try journal.outboxCounts()
        onTheWay = waiting > 0 ? try journal.changesOnTheWay() : 0
        moves = database == .private ? try journal.movesUnderWay() : 0
        encryptedAnew =
            waiting > 0
            ? try journal.outbox(after: 0, limit: .max).count { $0.kind == .update && $0.fields.isEmpty } : 0
        parked = try journal.parkedRecordCount()
        assets = try journal.wantedAssetCount()
        nextTries = try assets > 0 ? journal.nextTriesOfAssets() : []
        let zones = try journal.zones()
        let zone = isGuest ? zones.keys.min() : 0
        hasZone = zone != nil
        token =
            try database == .public
            ? journal.followedFeedToken() : zone.flatMap { try journal.changeToken(ofZone: $0) }
        isFetchingAll = try zone.map { try journal.isReadingAll(ofZone: $0) } ?? false
        let tokens = try isGuest ? [] : zones.map { ($1, try journal.changeToken(ofZone: $0)) }
        further = Dictionary(uniqueKeysWithValues: tokens)
    }
}
