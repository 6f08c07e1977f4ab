import Backstitch
public import Foundation

extension Notification.Name {
    /// A cycle begins. Posted with the store as object, on a thread of the store.
    public static let didStartSync = Notification.Name("BackstitchDidStartSync")
    /// A cycle has ended. ``SyncNotificationKey`` names the entries of its user info.
    public static let didFinishSync = Notification.Name("BackstitchDidFinishSync")
    /// A cycle has failed. The user info holds the error under ``SyncNotificationKey/error``.
    public static let didFailSync = Notification.Name("BackstitchDidFailSync")
}
