/// Names of the headers that this wire uses.
public enum WireHeader {
    /// Request: `1` asks for this project's extensions.
    public static let extensions = "X-Backstitch-Extensions"
    /// Request: the caller's push token, so that it is not told of its own changes.
    public static let device = "X-Backstitch-Device"
    /// Answer to a request with extensions: the limits that apply to it, see ``WireLimits``.
    public static let limits = "X-Backstitch-Limits"
    /// Answer: a new web auth token, to be used from now on.
    public static let rotatedToken = "X-Apple-CloudKit-Web-Auth-Token"
    /// Answer: names the request in logs.
    public static let requestUUID = "X-Apple-Request-UUID"
    /// Value of ``extensions`` for the extensions that this version knows.
    public static let extensionsVersion = "1"
}
