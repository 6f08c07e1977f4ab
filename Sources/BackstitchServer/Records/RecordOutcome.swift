import BackstitchSupport
import CloudWire

/// The outcome of one operation.
enum RecordOutcome: Sendable {
    case saved(StoredRecord)
    case deleted(String)
    /// A failure, with the server's record if the failure is a conflict.
    case failed(name: String, WireError, server: StoredRecord?)
}
