import Backstitch
import CloudWire

/// A record of an object without unsent changes.
struct CleanRecord {
    let news: RemoteChange
    let decoded: RecordDecoder.Decoded
    /// Whether there is no such object here yet.
    let isNew: Bool
}
