import BackstitchSupport

/// A device whose app can be woken.
struct StoredWakeDevice: Sendable, Hashable {
    var tenantID: Int64
    var token: WakeToken
    /// Whether the token is for APNs' environment for development.
    var isDevelopment: Bool
    /// The device's token for long polls, if it has named it: a device is not woken for its own changes.
    var poll: TokenDigest?
    /// When it was registered last, in milliseconds since 1970.
    var registered: Int64
    /// The token or key by which it was registered; see ``Bearer/credential``.
    var credential = ""
}
