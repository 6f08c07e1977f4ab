import BackstitchSupport

/// A device whose app can be woken.
struct StoredWakeDevice: Sendable, Hashable {
    var tenantID: Int64
    var token: WakeToken
    /// Whether the token is for APNs' environment for development.
    var isDevelopment: Bool
    /// The device's token for long polls, if the device has named it. A device is not woken for its own changes.
    var poll: TokenDigest?
    /// The time of the last registration, in milliseconds since 1970.
    var registered: Int64
    /// The token or key of the call that registered it; see ``Bearer/credential``.
    var credential = ""
}
