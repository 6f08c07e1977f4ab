import BackstitchSupport
import CloudWire
import CoreMetrics

/// The server's numbers for the program's metrics (`MetricsSystem`). Without a backend they are dropped.
///
/// Every label comes from a closed set: names of routes, codes of errors. So no client can create a series.
final class ServerMetrics: Sendable {
    /// The result of a request, for the label of a metric.
    enum Result: Sendable, Hashable {
        case answered
        /// A failure of the request as a whole.
        case failed(WireErrorCode)
        /// An answer without a message of the wire, such as for a range beyond an asset.
        case status(Int)

        var label: String {
            switch self {
            case .answered: "OK"
            case .failed(let code): code.rawValue
            case .status(let status): "HTTP_\(status)"
            }
        }
    }

    private struct Outcome: Hashable {
        let route: String
        let result: Result
    }

    /// The route of requests with a path unknown to the server.
    static let unknownRoute = "unknown"

    let bytesReceived: Counter
    let bytesSent: Counter
    let assetBytesReceived: Counter
    let assetBytesSent: Counter
    let connections: Meter
    let connectionsRefused: Counter
    let pollsWaiting: Meter
    let peersHeard: Meter
    let small: WorkMeters
    let large: WorkMeters
    let recordsWritten: Counter
    let feedRecords: Counter
    let replicas: ReplicaMetrics
    let content: ContentMetrics
    let wakes: WakeMetrics

    private let factory: any MetricsFactory
    private let durations: [String: CoreMetrics.Timer]
    private let requests = Locked<[Outcome: Counter]>([:])

    /// - Parameter factory: The destination of the numbers.
    init(_ factory: any MetricsFactory = MetricsSystem.factory) {
        self.factory = factory
        let routes = ServerRoute.allCases.map(\.name) + [Self.unknownRoute]
        durations = Dictionary(
            uniqueKeysWithValues: routes.map { ($0, factory.timer(.requestDuration, ["route": $0])) })
        bytesReceived = factory.counter(.bytesReceived)
        bytesSent = factory.counter(.bytesSent)
        assetBytesReceived = factory.counter(.assetBytes, ["direction": "received"])
        assetBytesSent = factory.counter(.assetBytes, ["direction": "sent"])
        connections = factory.meter(.connections)
        connectionsRefused = factory.counter(.connectionsRefused)
        pollsWaiting = factory.meter(.pollsWaiting)
        peersHeard = factory.meter(.peersHeard)
        small = WorkMeters(factory, size: "small")
        large = WorkMeters(factory, size: "large")
        recordsWritten = factory.counter(.recordsWritten)
        feedRecords = factory.counter(.feedRecords)
        replicas = ReplicaMetrics(factory)
        content = ContentMetrics(factory)
        wakes = WakeMetrics(factory)
    }

    /// Counts an answered request, and records its duration.
    func note(_ route: String, _ result: Result, _ duration: Duration) {
        durations[route]?.recordNanoseconds(duration.nanoseconds)
        let outcome = Outcome(route: route, result: result)
        let counter = requests.withLock { $0[outcome] } ?? counter(of: outcome)
        counter.increment()
    }

    /// The counter of an outcome, made when it is first needed. Few pairs of routes and results ever occur.
    private func counter(of outcome: Outcome) -> Counter {
        let counter = factory.counter(.requests, ["route": outcome.route, "result": outcome.result.label])
        requests.withLock { $0[outcome] = counter }
        return counter
    }
}

extension MetricsFactory {
    func counter(_ measure: ServerMeasure, _ labels: KeyValuePairs<String, String> = [:]) -> Counter {
        Counter(label: measure.rawValue, dimensions: labels.map { ($0, $1) }, factory: self)
    }

    func meter(_ measure: ServerMeasure, _ labels: KeyValuePairs<String, String> = [:]) -> Meter {
        Meter(label: measure.rawValue, dimensions: labels.map { ($0, $1) }, factory: self)
    }

    func timer(_ measure: ServerMeasure, _ labels: KeyValuePairs<String, String> = [:]) -> CoreMetrics.Timer {
        CoreMetrics.Timer(label: measure.rawValue, dimensions: labels.map { ($0, $1) }, factory: self)
    }
}

extension Duration {
    /// Whole nanoseconds; the largest integer for a longer time.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, isLarge) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isLarger) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        return isLarge || isLarger ? .max : sum
    }
}
