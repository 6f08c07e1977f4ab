import BackstitchSupport
import CloudWire

/// The kept answer to a request with an idempotency key. The digest tells whether a second request has the same body.
struct StoredAnswer: Sendable {
    var bodyDigest: [UInt8]
    var response: [UInt8]
    var created: Int64
}
