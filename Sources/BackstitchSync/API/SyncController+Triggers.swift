import Backstitch
import CloudWire
public import Foundation

extension SyncController {
    /// Begins a cycle without waiting for it, for example when the network is back. While a cycle runs, triggers are
    /// kept and merged into the next; none is lost. A store with ``Backstitch/StoreOption/syncAutomatically`` set to
    /// false ignores them.
    public func trigger(_ reason: SyncReason) { driver.tell(.trigger(reason, ticket: nil)) }

    /// Handles a notification that the store did not receive itself, for example from a system's push service. It
    /// begins a cycle if the notification concerns one of the store's zones or its followed queries.
    ///
    /// - Parameter payload: The notification as JSON, as the server sends it.
    /// - Returns: As ``isPushNotification(_:)``.
    @discardableResult
    public func handlePush(_ payload: Data) -> Bool {
        guard isPushNotification(payload) else { return false }
        trigger(.push)
        return true
    }

    /// Returns whether a notification concerns one of the store's zones or its database. In a store of the public
    /// database: whether it concerns a record of any followed query. It begins nothing: it is for programs that receive
    /// notifications of several stores.
    public func isPushNotification(_ payload: Data) -> Bool {
        guard let notification = try? PushNotification(wireJSON: Array(payload)),
            notification.container == services.client.options.container,
            notification.databaseScope == services.client.options.database.scope
        else { return false }
        switch notification.subject {
        case .zone(let zone): return services.client.names.isOwn(zone)
        case .database: return true
        // The only subscriptions of the public database are those of followed queries.
        case .record: return services.client.options.database == .public
        case .unknown: return false
        }
    }
}
