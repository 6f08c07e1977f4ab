import Backstitch
import BackstitchSupport
import CloudWire
import Logging

/// A change of a zone, to be told to other devices. It is told after the commit, never within.
struct Poke: Sendable {
    /// The database with the subscriptions that fire.
    enum Audience: Sendable, Hashable {
        /// The database of the request.
        case database
        /// The private database of a zone's owner, after a change by a guest.
        case owner(String)
        /// The shared database of a user, for zones shared by others.
        case guest(String)
    }

    var zone: String
    var audience = Audience.database
    /// Subscriptions removed with the zone. The others are looked up when the change is told.
    var fired: [FiredSubscription] = []
    /// The changed records, for subscriptions to queries.
    var changes: [RecordChange] = []

    /// The news of a zone's change, for its owner and its guests.
    static func all(of zone: StoredZone, _ changes: [RecordChange], to guests: [String]) -> [Poke] {
        let owner = Poke(
            zone: zone.name, audience: zone.access.map { .owner($0.owner) } ?? .database, changes: changes)
        return [owner] + guests.map { Poke(zone: zone.name, audience: .guest($0)) }
    }
}

extension Poke.Audience {
    /// The scope of a request, moved into the audience's database.
    func scope(within scope: RequestScope) -> RequestScope {
        var scope = scope
        switch self {
        case .database: return scope
        case .owner(let name): scope.database.owner = name
        case .guest(let name): scope.database.owner = name
        }
        scope.database.scope = if case .guest = self { .shared } else { .private }
        scope.roles = nil
        return scope
    }
}
