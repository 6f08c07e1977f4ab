/// Names of the headers that this wire uses.
public enum WireHeader {
    /// Request: `1` asks for this project's extensions. Answer, also to a request that failed: the server has them.
    public static let extensions = "X-Backstitch-Extensions"
    /// Request: the caller's push token, so that it is not told of its own changes.
    public static let device = "X-Backstitch-Device"
    /// Request with extensions: parameters that would stand behind the question mark of the address, in the same form.
    /// Secrets stand here so that they are in no address, which logs and proxies keep.
    public static let parameters = "X-Backstitch-Parameters"
    /// Answer to a request with extensions: the limits that apply to it, see ``WireLimits``.
    public static let limits = "X-Backstitch-Limits"
    /// Answer: a new web auth token, to be used from now on.
    public static let rotatedToken = "X-Apple-CloudKit-Web-Auth-Token"
    /// Answer: names the request in logs.
    public static let requestUUID = "X-Apple-Request-UUID"
    /// Value of ``extensions`` for the extensions that this version knows.
    public static let extensionsVersion = "1"
}
