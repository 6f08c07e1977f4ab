import Backstitch
import Foundation

/// The state of a plain server.
struct PlainState {
    /// A zone in one of its lives.
    struct Zone {
        /// Counts lives, and losses of tokens, over all zones.
        var epoch: Int64
        var head: Int64 = 0
        var records: [String: Record] = [:]
        /// Of each guest of single records, those that came into sight or left it last.
        var sights: [String: [String: Sight]] = [:]

        /// The change tag of the version that a change makes. It tells versions of a record apart (`CKRecord`,
        /// `recordChangeTag`), also from those of a zone of this name that is gone.
        func tag(ofChange sequence: Int64) -> String { String(epoch << 24 | sequence, radix: 36) }
    }

    /// A record, or what is left of one.
    struct Record {
        var name: String
        var type: String?
        var fields: PlainJSON = .object([:])
        /// The name of the record on which it hangs.
        var parent: String?
        var tag: String
        var sequence: Int64
        var created: Int64
        var creator: String
        var modified: Int64
        /// The user of the last change.
        var modifier: String
        var isDeleted = false
        /// Of a share its people.
        var share: PlainShare?
        /// The share of which it is the root.
        var shareName: String?
    }

    /// A part of a container: all users', the caller's own, or that of what others share with the caller.
    enum Database: String {
        case `public`, `private`, shared

        /// As notifications have it.
        var number: Int64 {
            switch self {
            case .public: 1
            case .private: 2
            case .shared: 3
            }
        }
    }

    /// A zone of anybody.
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
    /// The user whose zones the present request is about.
    var owner = Self.user
    /// The zones of each user by their names, and that of the public database.
    var holdings: [String: [String: Zone]] = [Self.everybody: [Self.publicZone: Zone(epoch: 0)]]
    /// The zones of others in which a user takes part, or did.
    var joined: [String: Set<Place>] = [:]
    /// Counts how often marks of queries have come to their end.
    var markerEpoch: Int64 = 0
    /// The zones that there were.
    var deletedZones: Set<Place> = []
    var subscriptions: [Subscription] = []
    /// Notifications that wait, by push token.
    var mailboxes: [String: [[UInt8]]] = [:]
    /// The users of push tokens.
    var registered: [String: String] = [:]
    var blobs: [String: [UInt8]] = [:]
    var receipts: [String: PlainJSON] = [:]
    var counts: [String: Int] = [:]
    /// Counts operations that were refused, by their codes.
    var failures: [String: Int] = [:]
    var refusals: [String] = []
    private var epochs: Int64 = 0
    private var numbers = 0

    /// Whether each request has to have a web token, which is the user's name.
    let hasUsers: Bool

    init(_ behavior: PlainBehavior, address: String, token: String?, hasUsers: Bool) {
        self.behavior = behavior
        self.address = address
        self.hasUsers = hasUsers
        tokens = PlainWebTokens(token)
    }

    /// A number that is given once.
    mutating func uniqueNumber() -> Int {
        numbers += 1
        return numbers
    }

    mutating func nextEpoch() -> Int64 {
        epochs += 1
        return epochs
    }

    // MARK: Zones

    /// The zones that the present request is about, by their names.
    var zones: [String: Zone] {
        get { holdings[owner] ?? [:] }
        _modify { yield &holdings[owner, default: [:]] }
    }

    /// The records of a zone that are there, by name.
    func fields(_ owner: String, _ zone: String) -> [String: PlainJSON] {
        holdings[owner]?[zone]?.records.filter { !$0.value.isDeleted && $0.value.share == nil }.mapValues(\.fields)
            ?? [:]
    }

    /// The parents of a zone's records that have one, by name.
    func parents(_ owner: String, _ zone: String) -> [String: String] {
        holdings[owner]?[zone]?.records.compactMapValues(\.parent) ?? [:]
    }

    /// Takes a zone away, with all that is of it.
    mutating func deleteZone(_ place: Place) {
        guard let zone = holdings[place.owner]?.removeValue(forKey: place.zone) else { return }
        deletedZones.insert(place)
        subscriptions.removeAll {
            $0.user == place.owner && $0.database == .private && $0.content["zoneID"]["zoneName"].text == place.zone
        }
        notify(place, zone.guests)
    }

    // MARK: Behind everybody's back

    mutating func expireTokens() {
        for owner in holdings.keys.sorted() where owner != Self.everybody {
            for name in holdings[owner, default: [:]].keys.sorted() {
                let epoch = nextEpoch()
                holdings[owner]?[name]?.epoch = epoch
            }
        }
    }

    /// Makes the marks of queries invalid.
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

    /// Tells the owner of a zone, and some guests, that it has moved.
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

    /// The user who owns what worlds sync.
    static let user = "_plainuser"
    /// Has the zone of the public database.
    static let everybody = "_everybody"
    /// The one zone of the public database, which is there from the beginning.
    static let publicZone = "_defaultZone"
}
