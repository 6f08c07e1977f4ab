import Backstitch
public import Foundation

extension Notification.Name {
    /// A cycle begins. Posted with the store as object, on a thread of the store's own.
    public static let didStartSync = Notification.Name("BackstitchDidStartSync")
    /// A cycle has ended. ``SyncNotificationKey`` names what its user info holds.
    public static let didFinishSync = Notification.Name("BackstitchDidFinishSync")
    /// A cycle has failed. The user info holds the error under ``SyncNotificationKey/error``.
    public static let didFailSync = Notification.Name("BackstitchDidFailSync")
}

/// The keys of the user info of sync's notifications.
public enum SyncNotificationKey {
    /// Objects that came from the server: `[ObjectID]`, perhaps empty.
    public static let inserted = "inserted"
    /// Objects that the server's changes have changed: `[ObjectID]`, perhaps empty.
    public static let updated = "updated"
    /// Objects that are gone because the server's records are: `[ObjectID]`, perhaps empty.
    public static let deleted = "deleted"
    /// The whole ``SyncSummary``.
    public static let summary = "summary"
    /// The ``BackstitchError`` of a failed cycle.
    public static let error = "error"
}
