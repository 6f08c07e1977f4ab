/// Where operators and their tools ask a server how it is: `GET /health`, `/ready` and `/metrics`, in plain HTTP.
///
/// It is a port of its own, so that it stays on this machine, or in a network of operators, whatever the zone server is
/// open to. Their answers hold no secrets, addresses or names of users. `/health` and `/ready` are answered at the zone
/// server's own port too: a load balancer asks where it sends requests.
///
/// Under `/admin/` administrators change accounts, tokens, keys and containers, as `backstitch admin --server` does:
/// from this machine alone, and with a token.
public struct AdministrationListener: Sendable {
    /// Address to listen on. Whoever reaches it reads all, so it is loopback unless set.
    public var host: String
    /// Port to listen on; 0 takes a free one.
    public var port: Int
    /// The metrics under `/metrics`; nil for a program whose metrics go elsewhere.
    public var metrics: PrometheusMetricsFactory?
    /// Tokens of administrators, beside those that the storage has.
    public var tokens: [TokenDigest] = []

    /// A listener on the loopback address.
    public init(host: String = "127.0.0.1", port: Int = 9090, metrics: PrometheusMetricsFactory? = nil) {
        self.host = host
        self.port = port
        self.metrics = metrics
    }
}
