public import Backstitch
import CloudWire
public import Foundation

extension SyncController {
    /// Begins a cycle, and does not wait for it: when the network is back, say. While one runs, triggers are kept and
    /// merged into the next; none is lost. A store with ``Backstitch/StoreOption/syncAutomatically`` set to false
    /// ignores them.
    public func trigger(_ reason: SyncReason) { driver.tell(.trigger(reason, ticket: nil)) }

    /// Takes in a notification that came by another way than the store's own, from a system's push service for
    /// instance, and begins a cycle if it is about the store's zone.
    ///
    /// - Parameter payload: The notification as JSON, as the server sends it.
    /// - Returns: Whether it is about the store's zone.
    @discardableResult
    public func handlePush(_ payload: Data) -> Bool {
        guard let notification = try? PushNotification(wireJSON: Array(payload)),
            case .zone(let changed) = notification.subject, changed.zoneName == services.client.zone.zoneName
        else { return false }
        trigger(.push)
        return true
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
        let zone = services.settings.zone
        return try await services.onStore { store in
            let keys = Dictionary(names.map { ($0, RecordName.key(of: $0, zone: zone).key) }, uniquingKeysWith: { $1 })
            let states = try store.readJournal { try $0.recordStates(for: Array(keys.values)) }
            return keys.compactMapValues { states[$0]?.objectID }
        }
    }
}
