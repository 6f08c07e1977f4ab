import Backstitch
import CloudWire
public import Foundation

extension SyncController {
    /// Begins a cycle, and does not wait for it: when the network is back, say. While one runs, triggers are kept and
    /// merged into the next; none is lost. A store with ``Backstitch/StoreOption/syncAutomatically`` set to false
    /// ignores them.
    public func trigger(_ reason: SyncReason) { driver.tell(.trigger(reason, ticket: nil)) }

    /// Takes in a notification that came by another way than the store's own, from a system's push service for
    /// instance, and begins a cycle if it is about one of the store's zones, or about what it follows.
    ///
    /// - Parameter payload: The notification as JSON, as the server sends it.
    /// - Returns: As ``isPushNotification(_:)``.
    @discardableResult
    public func handlePush(_ payload: Data) -> Bool {
        guard isPushNotification(payload) else { return false }
        trigger(.push)
        return true
    }

    /// Whether a notification is about one of the store's zones, or about the database that they are in; in a store of
    /// the public database, about a record that somebody follows. Begins nothing: for programs that get notifications
    /// of several stores.
    public func isPushNotification(_ payload: Data) -> Bool {
        guard let notification = try? PushNotification(wireJSON: Array(payload)),
            notification.container == services.client.options.container,
            notification.databaseScope == services.client.options.database.scope
        else { return false }
        switch notification.subject {
        case .zone(let zone): return services.client.names.isOwn(zone)
        case .database: return true
        // Of the public database there are no other subscriptions than those of followed queries.
        case .record: return services.client.options.database == .public
        case .unknown: return false
        }
    }
}
