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
    }

    /// A record, or what is left of one.
    struct Record {
        var name: String
        var type: String?
        var fields: PlainJSON = .object([:])
        var tag: String
        var sequence: Int64
        var created: Int64
        var creator: String
        var modified: Int64
        var isDeleted = false
    }

    var behavior: PlainBehavior
    var address: String
    var tokens: PlainWebTokens
    /// The user of the present request.
    var caller = Self.user
    var zones: [String: Zone] = [:]
    /// The zone of the public database.
    var publicRecords = Zone(epoch: 0)
    /// Counts how often marks of queries have come to their end.
    var markerEpoch: Int64 = 0
    /// The zones that there were, newest last.
    var deletedZones: [String] = []
    var subscriptions: [String: PlainJSON] = [:]
    /// Notifications that wait, by push token.
    var mailboxes: [String: [[UInt8]]] = [:]
    var registered: Set<String> = []
    var blobs: [String: [UInt8]] = [:]
    var receipts: [String: PlainJSON] = [:]
    var counts: [String: Int] = [:]
    var refusals: [String] = []
    private var epochs: Int64 = 0
    private var numbers = 0

    init(_ behavior: PlainBehavior, address: String, token: String?) {
        self.behavior = behavior
        self.address = address
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

    // MARK: Behind everybody's back

    mutating func deleteZone(_ name: String) {
        guard zones.removeValue(forKey: name) != nil else { return }
        deletedZones.append(name)
        subscriptions = subscriptions.filter { $0.value["zoneID"]["zoneName"].text != name }
        notify(zone: name)
    }

    mutating func expireTokens() {
        for name in zones.keys.sorted() {
            let epoch = nextEpoch()
            zones[name]?.epoch = epoch
        }
    }

    /// Makes the marks of queries invalid.
    mutating func expireMarkers() { markerEpoch += 1 }

    mutating func forgetDeletions() {
        zones = zones.mapValues { zone in
            var zone = zone
            zone.records = zone.records.filter { !$0.value.isDeleted }
            return zone
        }
    }

    // MARK: Notifications

    mutating func notify(zone: String) {
        for (id, subscription) in subscriptions.sorted(by: { $0.key < $1.key })
        where subscription["subscriptionType"].text != "query" {
            let isOfDatabase = subscription["subscriptionType"].text == "database"
            guard isOfDatabase || subscription["zoneID"]["zoneName"].text == zone else { continue }
            let subject = PlainJSON.made([
                "sid": .string(id), "zid": isOfDatabase ? nil : .string(zone), "dbs": .integer(2),
            ])
            let details = PlainJSON.made([
                "ce": .integer(2), "cid": .string("iCloud.plain"), "nid": .string("n\(uniqueNumber())"),
                "ckuserid": .string(Self.user), "fet": isOfDatabase ? nil : subject,
                "met": isOfDatabase ? subject : nil,
            ])
            post(details)
        }
    }

    /// Sends a notification to all devices.
    mutating func post(_ details: PlainJSON) {
        let body = PlainJSON.made(["aps": .made(["content-available": .integer(1)]), "ck": details]).bytes
        for token in registered.sorted() where (mailboxes[token]?.count ?? 0) < 100 {
            mailboxes[token, default: []].append(body)
        }
    }

    func hasNotification(at url: String) -> Bool {
        PlainAddress(url).query["tok"].map { mailboxes[$0]?.isEmpty == false } ?? false
    }

    static let user = "_plainuser"
}

/// The web tokens of the one user.
struct PlainWebTokens {
    private(set) var current: String?
    /// The one before, while it is good.
    private var previous: String?
    private var count = 0

    init(_ first: String?) { current = first }

    /// Takes a token, and gives the next one where there is one.
    ///
    /// - Returns: nil when it is not good; `.some(nil)` when it is, and stays.
    mutating func take(_ token: String?, _ behavior: PlainBehavior.WebTokens) -> String?? {
        guard let current else { return .some(nil) }
        guard let token, token == current || token == previous else { return nil }
        count += 1
        switch behavior {
        case .fixed: return .some(nil)
        case .rotating:
            // Good once more: when it comes again, the answer to it was lost.
            previous = token == previous ? nil : token
            self.current = "web+\(count)/="
        case .singleUse:
            previous = nil
            self.current = "web+\(count)/="
        }
        return .some(self.current)
    }
}

/// An address, taken apart.
struct PlainAddress {
    var path: [String]
    var query: [String: String] = [:]

    init(_ url: String) {
        let parts = url.split(separator: "?", maxSplits: 1)
        var rest = parts.first.map(String.init) ?? ""
        if let scheme = rest.range(of: "://") { rest = String(rest[scheme.upperBound...].drop { $0 != "/" }) }
        path = rest.split(separator: "/").map(String.init)
        guard parts.count == 2 else { return }
        for pair in parts[1].split(separator: "&") {
            let sides = pair.split(separator: "=", maxSplits: 1)
            if sides.count == 2 { query[String(sides[0])] = sides[1].removingPercentEncoding ?? String(sides[1]) }
        }
    }
}
