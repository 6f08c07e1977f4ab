import BackstitchSupport
import CloudWire

/// The counted usage of one user in a tenant (a container and environment).
struct StoredUsage: Sendable, Hashable {
    /// Live records made by the user.
    var records = 0
    /// Bytes of the user's records, tombstones and assets, and of participants in the user's shares.
    var bytes = 0
    /// The number of answers kept for idempotency keys.
    var answers = 0
    /// The bytes of these answers.
    var answerBytes = 0
}
