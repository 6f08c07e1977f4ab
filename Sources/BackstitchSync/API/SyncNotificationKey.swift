import Backstitch

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
