import Backstitch

/// The author of a transaction, and its time.
struct HistoryAuthor {
    let author: String?
    let context: String?
    /// The time in milliseconds since 1970.
    let timestamp: Int64
    /// Identifies the transaction, for a store that must find out if it was committed.
    let token: ObjectKey?
}
