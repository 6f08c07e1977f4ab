public import Backstitch
import CloudWire
public import Foundation

extension SyncController {
    /// Begins a cycle, and does not wait for it: when the network is back, say. While one runs, triggers are kept and
    /// merged into the next; none is lost. A store with ``Backstitch/StoreOption/syncAutomatically`` set to false
    /// ignores them.
    public func trigger(_ reason: SyncReason) { driver.tell(.trigger(reason, ticket: nil)) }

    /// Takes in a notification that came by another way than the store's own, from a system's push service for
    /// instance, and begins a cycle if it is about one of the store's zones.
    ///
    /// - Parameter payload: The notification as JSON, as the server sends it.
    /// - Returns: As ``isPushNotification(_:)``.
    @discardableResult
    public func handlePush(_ payload: Data) -> Bool {
        guard isPushNotification(payload) else { return false }
        trigger(.push)
        return true
    }

    /// Whether a notification is about one of the store's zones, or about the database that they are in. Begins
    /// nothing: for programs that get notifications of several stores.
    public func isPushNotification(_ payload: Data) -> Bool {
        guard let notification = try? PushNotification(wireJSON: Array(payload)),
            notification.container == services.client.options.container
        else { return false }
        switch notification.subject {
        case .zone(let zone): return ZoneNames(main: services.client.options.zoneName).isOwn(zone.zoneName)
        case .database: return true
        case .record, .unknown: return false
        }
    }

    /// The name of an object's record on the server; nil when the server does not have it.
    public func recordName(of id: ObjectID) async throws -> String? {
        try await services.onStore { store in
            let state = try store.readJournal { try $0.recordStates(for: [id.key])[id.key] }
            guard let state, state.changeTag != nil else { return nil }
            return state.foreignName ?? id.key.uuidString
        }
    }

    /// The objects of records with these names; names that no object here has are left out.
    public func objectIDs(forRecordsNamed names: [String]) async throws -> [String: ObjectID] {
        let zoneNames = ZoneNames(main: services.settings.zone)
        return try await services.onWholeStore { store in
            try store.readJournal { journal in
                var found: [String: ObjectID] = [:]
                for zone in [zoneNames.main] + (try journal.zones().values.sorted().map(zoneNames.onServer)) {
                    let keys = names.map { RecordName.key(of: $0, zone: zone).key }
                    let states = try journal.recordStates(for: keys)
                    for (name, key) in zip(names, keys) where found[name] == nil { found[name] = states[key]?.objectID }
                }
                return found
            }
        }
    }
}
