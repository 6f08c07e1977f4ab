import BackstitchSupport
import CloudWire

/// The answer to a request with an idempotency key.
struct StoredAnswer: Sendable {
    var bodyDigest: [UInt8]
    var response: [UInt8]
    var created: Int64
}
