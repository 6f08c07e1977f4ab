import Backstitch
import BackstitchSupport
import CloudWire
import Foundation
import Logging

/// A change of a zone, of which others must hear. Told after the commit, never within.
struct Poke: Sendable {
    var zone: String
    /// Subscriptions that have gone with the zone; the others are looked up when it is told.
    var fired: [FiredSubscription] = []
}

/// The devices and users that must hear of changes in a database.
struct Addressees: Sendable {
    var ownerID: Int64
    /// The users whose subscriptions fired, those too who have no other device.
    var users: Set<String> = []
    var devices: [(PushTokenKey, [FiredSubscription])] = []
    /// The devices whose apps may not run.
    var wakes: [DueWake] = []
}

extension ZoneService {
    /// Tells every device of the users who subscribed, but the one that made the changes. Outside the writer, and with
    /// one look at the storage for all changes of a request.
    func post(_ pokes: [Poke], _ scope: RequestScope) async {
        if pokes.isEmpty { return }
        do {
            // All notifications of one request have the same name.
            let id = random.uuid()
            let (told, watches) = try await storage.read { [neighbours] reading in
                let told = try addressees(of: pokes, scope, reading)
                let isWatched = neighbours?.watch.hasAny(of: told.devices.map(\.0)) ?? false
                return (told, isWatched ? try reading.watches(ofUsers: Array(told.users)) : [])
            }
            for (token, fired) in told.devices {
                hub.post(fired.map { notification(of: $0, id, scope) }, to: token)
            }
            try post(told.wakes, id, scope)
            neighbours?.watch.note(watches, told)
            neighbours?.tell(told.users)
        } catch {
            // The change is made all the same; clients that are not told find it when they look.
            configuration.logger.error("nobody was told of a change: \(error)")
        }
    }

    /// The notification that a subscription has fired.
    func notification(of fired: FiredSubscription, _ id: String, _ scope: RequestScope) -> PushNotification {
        PushNotification(
            container: scope.container, notificationID: id, userRecordName: fired.user,
            subscriptionID: fired.subscriptionID, subject: fired.zone.map { .zone(scope.zoneID($0).bare) } ?? .database,
            databaseScope: scope.database.scope.rawValue)
    }

    /// The devices that must hear of changes, each once, with the subscriptions that fired for it.
    private func addressees(
        of pokes: [Poke], _ scope: RequestScope, _ reading: any ZoneReading
    ) throws -> Addressees {
        guard let owner = try reading.owner(scope.database) else { return Addressees(ownerID: 0) }
        let quotas = configuration.userQuotas
        let now = try reading.firedSubscriptions(owner, zones: pokes.map(\.zone), limit: quotas.subscriptions)
        let fired = Dictionary(grouping: Set(now + pokes.flatMap(\.fired)), by: \.user)
            .mapValues { $0.sorted { $0.subscriptionID < $1.subscriptionID }.prefix(quotas.subscriptions).map(\.self) }
        let devices = try fired.flatMap { user, subscriptions in
            try reading.pushTokens(tenantID: owner.tenantID, user: user, limit: quotas.pushTokens)
                .filter { $0 != scope.device }.map { ($0, subscriptions) }
        }
        return Addressees(
            ownerID: owner.ownerID, users: Set(fired.keys), devices: devices,
            wakes: try dueWakes(fired, owner, scope, reading))
    }
}
