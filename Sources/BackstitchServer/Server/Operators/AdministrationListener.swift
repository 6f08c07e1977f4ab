/// A listener for operators and their tools: `GET /health`, `/ready` and `/metrics`, in plain HTTP.
///
/// It has a port of its own. So it can stay on this machine or in an operators' network, even if the zone server is
/// open to the world. The answers hold no secrets, addresses or names of users. The zone server's own port answers
/// `/health` and `/ready` too, because a load balancer asks there.
///
/// Under `/admin/` administrators change accounts, tokens, keys and containers, as `backstitch admin --server` does.
/// These requests must come from this machine and carry a token.
public struct AdministrationListener: Sendable {
    /// The address to listen on. Every caller there can read everything, so the default is loopback.
    public var host: String
    /// The port to listen on; 0 takes a free one.
    public var port: Int
    /// The metrics under `/metrics`; nil if the program sends its metrics elsewhere.
    public var metrics: PrometheusMetricsFactory?
    /// Tokens of administrators, in addition to the tokens in the storage.
    public var tokens: [TokenDigest] = []

    /// Creates a listener, on the loopback address unless another one is given.
    public init(host: String = "127.0.0.1", port: Int = 9090, metrics: PrometheusMetricsFactory? = nil) {
        self.host = host
        self.port = port
        self.metrics = metrics
    }
}
