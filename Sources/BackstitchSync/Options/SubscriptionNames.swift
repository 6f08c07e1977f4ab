import BackstitchSupport
import Foundation

/// The names under which a store has its subscriptions on the server. A user has one of each name, so two stores with
/// one name would take turns: only the one that subscribed last would be told of changes.
struct SubscriptionNames: Sendable, Hashable {
    /// The subscription to the zone.
    let zone: String

    /// The subscription to the database.
    var database: String { "\(zone).database" }

    /// The names that the program gives.
    init(_ name: String) { zone = name }

    /// The names of a store that is given none. The database comes last, so that no name is another zone's name with an
    /// ending: names of zones may have dots in them.
    init(ofZone zone: String, in database: SyncDatabase) {
        let isLong = zone.utf8.count > Self.longestZone
        let part = isLong ? SHA256.hash(data: Data(zone.utf8)).hexadecimal : zone
        self.zone = "Backstitch.\(part).\(database.rawValue)"
    }

    /// The subscription to a followed query.
    func query(_ id: String) -> String { "\(zone).query.\(id)" }

    /// Bytes of the longest zone's name that is written out: names of subscriptions have 255 bytes at most.
    private static let longestZone = 128
}
