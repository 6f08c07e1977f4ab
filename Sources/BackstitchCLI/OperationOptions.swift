import ArgumentParser
import BackstitchServer
import CoreMetrics

/// The options of `serve` for its operation: reports, proxies, limits and the end.
struct OperationOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The port for /health, /ready, /metrics (Prometheus) and `backstitch admin --server`; 0 takes a free one.",
            discussion: """
                Without it there is no such port. /health and /ready are answered at the port of the zone server too.
                """))
    var adminPort: Int?

    @Option(help: "The address of that port. Every caller who can reach it can read the metrics.")
    var adminHost = "127.0.0.1"

    @Option(
        name: .customLong("admin-digest"),
        help: ArgumentHelp(
            "The SHA-256 of an administrator's token, 64 hexadecimal digits, in addition to the tokens in the storage.",
            discussion: "`printf %s \"$TOKEN\" | sha256sum` makes it. Repeat it for several.", valueName: "digest"))
    var adminDigests: [String] = []

    @Flag(
        help:
            "Log a line for each request: its route, result, time and size. The line has nothing of the request's content."
    )
    var accessLog = false

    @Option(
        help: ArgumentHelp(
            "Seconds to go on serving after SIGTERM. Meanwhile /ready says that the server drains, so that load "
                + "balancers notice.",
            discussion: """
                Then no new connection is taken, long polls are answered, and running requests have 10 seconds to \
                end. A second signal ends the server at once; acknowledged changes are on the disk.
                """))
    var drainSeconds = 0

    @Option(
        name: .customLong("trusted-proxy"),
        help: ArgumentHelp(
            "A proxy that names its callers, or a network of such proxies: 10.0.0.2, 10.0.0.0/8; repeat it for "
                + "several.",
            discussion: """
                The limits of an address then count for each caller that a proxy names. The header is ignored if \
                another machine sends it.
                """, valueName: "network"))
    var trustedProxies: [String] = []

    @Option(
        help: "The header that a proxy names the caller in: X-Forwarded-For or Forwarded.", transform: Self.proxyHeader
    )
    var proxyHeader = TrustedProxies.Header.xForwardedFor

    @Option(
        name: .customLong("origin"),
        help: ArgumentHelp(
            "Let pages of this origin call from a browser, such as https://app.example; repeat it for several.",
            valueName: "origin"))
    var origins: [String] = []

    @Option(
        help: ArgumentHelp(
            "Seconds between two checks for changes of other servers on the same database.",
            discussion: "Servers notify each other at once; the checks find changes whose notification was lost."))
    var peerInterval = 5.0

    @Flag(
        name: .customLong("no-notifications"),
        help: "Do not notify other servers on the same database of changes: their checks find them.")
    var isSilent = false

    func validate() throws {
        _ = try proxies()
        guard (0.01...3_600).contains(peerInterval) else {
            throw ValidationError("--peer-interval takes 0.01 to 3600 seconds, not \(peerInterval)")
        }
        guard (0...3_600).contains(drainSeconds) else {
            throw ValidationError("--drain-seconds takes 0 to 3600, not \(drainSeconds)")
        }
        guard adminDigests.isEmpty || adminPort != nil else {
            throw ValidationError("--admin-digest is for the administration, which --admin-port opens")
        }
        if let digest = adminDigests.first(where: { TokenDigest(sha256: $0) == nil }) {
            throw ValidationError("--admin-digest takes 64 hexadecimal digits, not \"\(digest.prefix(80))\"")
        }
    }

    private static func proxyHeader(_ text: String) throws -> TrustedProxies.Header {
        let header = TrustedProxies.Header.allCases.first { $0.rawValue.lowercased() == text.lowercased() }
        guard let header else {
            throw ValidationError(
                "--proxy-header takes X-Forwarded-For or Forwarded, not '\(text.prefix(80))'")
        }
        return header
    }

    private func proxies() throws -> TrustedProxies? {
        let networks = trustedProxies.flatMap { $0.split(separator: ",").map(String.init) }
        if trustedProxies.isEmpty { return nil }
        do { return try TrustedProxies(networks, header: proxyHeader) } catch {
            throw ValidationError(error.message)
        }
    }

    /// Sets the options. Call it once: if there is a port for metrics, they are collected in this process from then on.
    func apply(to configuration: inout ZoneServerConfiguration) throws {
        configuration.trustedProxies = try proxies()
        configuration.logsRequests = accessLog
        configuration.drainDelay = drainSeconds
        configuration.allowedOrigins = origins
        configuration.peerInterval = peerInterval
        configuration.usesNotifications = !isSilent
        guard let adminPort else { return }
        let metrics = PrometheusMetricsFactory()
        MetricsSystem.bootstrap(metrics)
        configuration.administration = .init(host: adminHost, port: adminPort, metrics: metrics)
        configuration.administration?.tokens = adminDigests.compactMap { TokenDigest(sha256: $0) }
    }
}
