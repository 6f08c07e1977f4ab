import BackstitchSupport
import CloudWire

/// A user's usage of a container's environment, as it is counted.
struct StoredUsage: Sendable, Hashable {
    /// Live records that the user has made.
    var records = 0
    /// Bytes of these records, of deletions that are remembered, and of assets.
    var bytes = 0
    /// Answers that are kept for idempotency keys.
    var answers = 0
    /// Bytes of these answers.
    var answerBytes = 0
}
