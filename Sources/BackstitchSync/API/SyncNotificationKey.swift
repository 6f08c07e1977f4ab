import Backstitch

/// The keys of the user info of sync's notifications.
public enum SyncNotificationKey {
    /// Objects that were created from the server's records: `[ObjectID]`, perhaps empty.
    public static let inserted = "inserted"
    /// Objects that were changed by the server's changes: `[ObjectID]`, perhaps empty.
    public static let updated = "updated"
    /// Objects that were deleted because the server's records are deleted: `[ObjectID]`, perhaps empty.
    public static let deleted = "deleted"
    /// The whole ``SyncSummary`` of the cycle.
    public static let summary = "summary"
    /// The ``BackstitchError`` of a failed cycle.
    public static let error = "error"
}
