/// Names of the headers that this wire uses.
package enum WireHeader {
    /// Request: `1` asks for this project's extensions. Answer: the server has them, also if the request failed.
    package static let extensions = "X-Backstitch-Extensions"
    /// Request: the caller's push token, so that it gets no notification of its own changes.
    package static let device = "X-Backstitch-Device"
    /// Request with extensions: parameters of the address, in the same form. Secrets are here, because logs and proxies
    /// keep addresses.
    package static let parameters = "X-Backstitch-Parameters"
    /// Answer to a request with extensions: the limits for it, see ``WireLimits``.
    package static let limits = "X-Backstitch-Limits"
    /// Answer: a new web auth token, for use from now on.
    package static let rotatedToken = "X-Apple-CloudKit-Web-Auth-Token"
    /// Answer: identifies the request in logs.
    package static let requestUUID = "X-Apple-Request-UUID"
    /// The value of ``extensions`` for the extensions of this version.
    package static let extensionsVersion = "1"
}
