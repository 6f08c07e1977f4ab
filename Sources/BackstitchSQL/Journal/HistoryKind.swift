import Backstitch

/// The kind of change that history records for an object in a transaction.
enum HistoryKind: Int64, Sendable {
    case insert = 0, update, delete
}
