import BackstitchSupport
import Foundation

/// The names of a store's subscriptions on the server. A user has one of each name. If two stores used one name, only
/// the last to subscribe would receive notifications.
struct SubscriptionNames: Sendable, Hashable {
    /// The name of the subscription to the zone.
    let zone: String

    /// The name of the subscription to the database.
    var database: String { "\(zone).database" }

    /// Uses a name that the program gives.
    init(_ name: String) { zone = name }

    /// Makes the default name. The database is at the end, because names of zones may contain dots: so no name equals
    /// another zone's name with a suffix.
    init(ofZone zone: String, in database: SyncDatabase) {
        let isLong = zone.utf8.count > Self.longestZone
        let part = isLong ? SHA256.hash(data: Data(zone.utf8)).hexadecimal : zone
        self.zone = "Backstitch.\(part).\(database.rawValue)"
    }

    /// Returns the name of the subscription to a followed query.
    func query(_ id: String) -> String { "\(zone).query.\(id)" }

    /// The length of the longest zone name that is used unchanged, in bytes. Names of subscriptions have 255 bytes at
    /// most.
    private static let longestZone = 128
}
