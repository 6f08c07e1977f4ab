import BackstitchSupport
import CloudWire

/// The key of a push token in the tables. It has a digest only, so the token itself stays secret.
struct PushTokenKey: Sendable, Hashable {
    var tenantID: Int64
    var digest: TokenDigest
}
