import BackstitchSupport
import CloudWire

/// How one operation ended.
enum RecordOutcome: Sendable {
    case saved(StoredRecord)
    case deleted(String)
    /// With the record as the server has it, when the failure is a conflict.
    case failed(name: String, WireError, server: StoredRecord?)
}
