/// Names of the headers that this wire uses.
public enum WireHeader {
    /// Request: `1` asks for this project's extensions. Answer: the server has them, also if the request failed.
    public static let extensions = "X-Backstitch-Extensions"
    /// Request: the caller's push token, so that it gets no notification of its own changes.
    public static let device = "X-Backstitch-Device"
    /// Request with extensions: parameters of the address, in the same form. Secrets are here, because logs and proxies
    /// keep addresses.
    public static let parameters = "X-Backstitch-Parameters"
    /// Answer to a request with extensions: the limits for it, see ``WireLimits``.
    public static let limits = "X-Backstitch-Limits"
    /// Answer: a new web auth token, for use from now on.
    public static let rotatedToken = "X-Apple-CloudKit-Web-Auth-Token"
    /// Answer: identifies the request in logs.
    public static let requestUUID = "X-Apple-Request-UUID"
    /// The value of ``extensions`` for the extensions of this version.
    public static let extensionsVersion = "1"
}
