import Backstitch
import BackstitchSync

/// The state of sync on a device, as its store says.
struct Standing {
    let waiting: Int
    let blocked: Int
    /// The number of waiting changes whose objects are moving to another zone.
    let heldBack: Int
    /// The number of objects that the device is moving between zones.
    let moves: Int
    /// The number of waiting changes that only encrypt a record with a new key.
    let encryptedAnew: Int
    /// The number of records that cannot become objects yet.
    let parked: Int
    /// The number of assets still to be downloaded.
    let assets: Int
    /// The latest time of the next try for each asset that failed, in milliseconds since 1970.
    let nextTries: [Int64]
    /// The change token of the world's zone, or of the followed feed.
    let token: String?
    /// Whether a full fetch is under way.
    let isFetchingAll: Bool
    /// The tokens of the further zones, by their names.
    let further: [String: String?]
    /// Whether it has the zone of the world. A guest's device has it only while the zone is shared with the guest.
    let hasZone: Bool

    init(_ journal: any JournalReading, _ database: SyncDatabase) throws {
        // For a guest, the zone of the world belongs to another user.
        let isGuest = database == .shared
        (waiting, blocked) = try journal.outboxCounts()
        heldBack = waiting > 0 ? try journal.changesHeldBack() : 0
        moves = database == .private ? try journal.movesUnderWay() : 0
        encryptedAnew =
            waiting > 0
            ? try journal.outbox(after: 0, limit: .max).count { $0.kind == .update && $0.fields.isEmpty } : 0
        parked = try journal.parkedRecordCount()
        assets = try journal.wantedAssetCount()
        nextTries = try assets > 0 ? journal.nextTriesOfAssets() : []
        let zones = try journal.zones()
        // On a guest's device, the main zone has the name of its owner. The names of others begin with it.
        let zone = isGuest ? zones.first { !$0.value.contains("/") }?.key : 0
        hasZone = zone != nil
        token =
            try database == .public
            ? journal.followedFeedToken() : zone.flatMap { try journal.changeToken(ofZone: $0) }
        isFetchingAll = try zone.map { try journal.isReadingAll(ofZone: $0) } ?? false
        let tokens = try zones.filter { $0.key != zone }.map { number, name in
            (name.split(separator: "/").last.map(String.init) ?? "", try journal.changeToken(ofZone: number))
        }
        further = Dictionary(uniqueKeysWithValues: tokens)
    }
}
