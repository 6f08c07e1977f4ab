import Backstitch
import Foundation

/// The whole state of a plain server.
struct PlainState {
    /// A zone, from its creation to its deletion.
    struct Zone {
        /// A unique number. A new zone gets the next one, and so does a zone whose tokens become invalid.
        var epoch: Int64
        var head: Int64 = 0
        var records: [String: Record] = [:]
        /// For each guest of single records: the last entry or exit of each record.
        var sights: [String: [String: Sight]] = [:]

        /// The change tag of a record's version. It tells versions of a record apart (`CKRecord`, `recordChangeTag`),
        /// also from versions in a deleted zone of the same name.
        func tag(ofChange sequence: Int64) -> String { String(epoch << 24 | sequence, radix: 36) }
    }

    /// A record, or the tombstone of one.
    struct Record {
        var name: String
        var type: String?
        var fields: PlainJSON = .object([:])
        /// The name of the record's parent.
        var parent: String?
        var tag: String
        var sequence: Int64
        var created: Int64
        var creator: String
        var modified: Int64
        /// The user of the last change.
        var modifier: String
        var isDeleted = false
        /// The participants, if the record is a share.
        var share: PlainShare?
        /// The name of the share whose root this record is.
        var shareName: String?
    }

    /// A database of a container: the public one, the caller's private one, or the one with the zones shared by others.
    enum Database: String {
        case `public`, `private`, shared

        /// The number of the database in notifications.
        var number: Int64 {
            switch self {
            case .public: 1
            case .private: 2
            case .shared: 3
            }
        }
    }

    /// A zone of any user, with its owner.
    struct Place: Hashable, Comparable {
        var owner: String
        var zone: String

        static func < (left: Self, right: Self) -> Bool { (left.owner, left.zone) < (right.owner, right.zone) }
    }

    /// A user's subscription in a database.
    struct Subscription {
        var user: String
        var database: Database
        var content: PlainJSON

        var id: String { content["subscriptionID"].text ?? "" }
        var type: String { content["subscriptionType"].text ?? "" }
    }

    var behavior: PlainBehavior
    var address: String
    var tokens: PlainWebTokens
    /// The user of the present request.
    var caller = Self.user
    /// The database of the present request.
    var database = Database.private
    /// The owner of the zones in the present request.
    var owner = Self.user
    /// The zones of each user by name. The public database is here under ``everybody``.
    var holdings: [String: [String: Zone]] = [Self.everybody: [Self.publicZone: Zone(epoch: 0)]]
    /// The zones of other users that a user takes part in, now or earlier.
    var joined: [String: Set<Place>] = [:]
    /// Part of each continuation marker. It grows when the earlier markers become invalid.
    var markerEpoch: Int64 = 0
    /// The zones that were deleted.
    var deletedZones: Set<Place> = []
    var subscriptions: [Subscription] = []
    /// Waiting notifications, by push token.
    var mailboxes: [String: [[UInt8]]] = [:]
    /// The user of each push token.
    var registered: [String: String] = [:]
    var blobs: [String: [UInt8]] = [:]
    var receipts: [String: PlainJSON] = [:]
    var counts: [String: Int] = [:]
    /// The number of refused operations, by error code.
    var failures: [String: Int] = [:]
    var refusals: [String] = []
    private var epochs: Int64 = 0
    private var numbers = 0

    /// Whether each request needs a web token, which is the user's name.
    let hasUsers: Bool

    init(_ behavior: PlainBehavior, address: String, token: String?, hasUsers: Bool) {
        self.behavior = behavior
        self.address = address
        self.hasUsers = hasUsers
        tokens = PlainWebTokens(token)
    }

    /// A number that is used only once.
    mutating func uniqueNumber() -> Int {
        numbers += 1
        return numbers
    }

    mutating func nextEpoch() -> Int64 {
        epochs += 1
        return epochs
    }

    // MARK: Zones

    /// The zones of the present request's owner, by name.
    var zones: [String: Zone] {
        get { holdings[owner] ?? [:] }
        _modify { yield &holdings[owner, default: [:]] }
    }

    /// The fields of a zone's existing records, by name. Shares are left out.
    func fields(_ owner: String, _ zone: String) -> [String: PlainJSON] {
        holdings[owner]?[zone]?.records.filter { !$0.value.isDeleted && $0.value.share == nil }.mapValues(\.fields)
            ?? [:]
    }

    /// The parent of each record in a zone that has one, by name.
    func parents(_ owner: String, _ zone: String) -> [String: String] {
        holdings[owner]?[zone]?.records.compactMapValues(\.parent) ?? [:]
    }

    /// Deletes a zone with all its content.
    mutating func deleteZone(_ place: Place) {
        guard let zone = holdings[place.owner]?.removeValue(forKey: place.zone) else { return }
        deletedZones.insert(place)
        subscriptions.removeAll {
            $0.user == place.owner && $0.database == .private && $0.content["zoneID"]["zoneName"].text == place.zone
        }
        notify(place, zone.guests)
    }

    // MARK: Changes without a client

    mutating func expireTokens() {
        for owner in holdings.keys.sorted() where owner != Self.everybody {
            for name in holdings[owner, default: [:]].keys.sorted() {
                let epoch = nextEpoch()
                holdings[owner]?[name]?.epoch = epoch
            }
        }
    }

    /// Makes the continuation markers of queries invalid.
    mutating func expireMarkers() { markerEpoch += 1 }

    mutating func forgetDeletions() {
        for owner in holdings.keys where owner != Self.everybody {
            holdings[owner] = holdings[owner]?.mapValues { zone in
                var zone = zone
                zone.records = zone.records.filter { !$0.value.isDeleted }
                zone.sights = zone.sights.mapValues { $0.filter(\.value.isIn) }
                return zone
            }
        }
    }

    // MARK: Notifications

    /// Notifies the owner of a zone, and some guests, of a change in it.
    mutating func notify(_ place: Place, _ guests: Set<String>) {
        for subscription in subscriptions {
            let isOfDatabase = subscription.type == "database"
            switch subscription.database {
            case .private where subscription.user == place.owner:
                guard isOfDatabase || subscription.content["zoneID"]["zoneName"].text == place.zone else { continue }
            case .shared where guests.contains(subscription.user): break
            default: continue
            }
            let subject = PlainJSON.made([
                "sid": .string(subscription.id), "zid": isOfDatabase ? nil : .string(place.zone),
                "dbs": .integer(subscription.database.number),
            ])
            post(isOfDatabase ? "met" : "fet", subject, to: subscription.user)
        }
    }

    /// Sends a notification to all devices of a user.
    mutating func post(_ kind: String, _ subject: PlainJSON, to user: String) {
        let details = PlainJSON.made([
            "ce": .integer(2), "cid": .string("iCloud.plain"), "nid": .string("n\(uniqueNumber())"),
            "ckuserid": .string(user),
        ])
        var body = PlainJSON.made(["aps": .made(["content-available": .integer(1)]), "ck": details])
        body["ck"][kind] = subject
        for (token, owner) in registered where owner == user && (mailboxes[token]?.count ?? 0) < 100 {
            mailboxes[token, default: []].append(body.bytes)
        }
    }

    func hasNotification(at url: String) -> Bool {
        PlainAddress(url).query["tok"].map { mailboxes[$0]?.isEmpty == false } ?? false
    }

    /// The owner of the data that worlds sync.
    static let user = "_plainuser"
    /// The owner of the public database's zone.
    static let everybody = "_everybody"
    /// The only zone of the public database. It exists from the beginning.
    static let publicZone = "_defaultZone"
}
