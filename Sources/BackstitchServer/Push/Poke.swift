import Backstitch
import BackstitchSupport
import CloudWire
import Logging

/// A change of a zone, of which others must hear. Told after the commit, never within.
struct Poke: Sendable {
    /// The database whose subscriptions fire.
    enum Audience: Sendable, Hashable {
        /// That of the request.
        case database
        /// The private database of the owner of a zone that a guest has changed.
        case owner(String)
        /// The shared database of a user, of zones that others share.
        case guest(String)
    }

    var zone: String
    var audience = Audience.database
    /// Subscriptions that have gone with the zone; the others are looked up when it is told.
    var fired: [FiredSubscription] = []
    /// The records that have changed, for subscriptions to queries.
    var changes: [RecordChange] = []
}

extension Poke.Audience {
    /// The scope of a request, in the database that hears of it.
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
