import BackstitchSupport
import CloudWire

/// Names a push token without giving it away.
struct PushTokenKey: Sendable, Hashable {
    var tenantID: Int64
    var digest: TokenDigest
}
