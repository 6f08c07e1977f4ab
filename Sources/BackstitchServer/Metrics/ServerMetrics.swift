import BackstitchSupport
import CloudWire
import CoreMetrics

/// The numbers that a server gives to the program's metrics (`MetricsSystem`), which without a backend are dropped.
///
/// Every label comes from a closed set: names of routes, codes of errors. So no client can make a series.
final class ServerMetrics: Sendable {
    /// How a request ended.
    enum Result: Sendable, Hashable {
        case answered
        /// A failure of the request as a whole.
        case failed(WireErrorCode)
        /// An answer that is no message of the wire, such as a range that an asset does not have.
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

    /// For requests whose path is none of the server's.
    static let unknownRoute = "unknown"

    let bytesReceived: Counter
    let bytesSent: Counter
    let assetBytesReceived: Counter
    let assetBytesSent: Counter
    let connections: Meter
    let connectionsRefused: Counter
    let pollsWaiting: Meter
    let neighboursHeard: Meter
    let small: WorkMeters
    let large: WorkMeters
    let recordsWritten: Counter
    let feedRecords: Counter
    let replicas: ReplicaMetrics
    let storage: StorageMetrics
    let content: ContentMetrics
    let wakes: WakeMetrics

    private let factory: any MetricsFactory
    private let durations: [String: CoreMetrics.Timer]
    private let requests = Locked<[Outcome: Counter]>([:])

    /// - Parameter factory: Where the numbers go.
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
        neighboursHeard = factory.meter(.neighboursHeard)
        small = WorkMeters(factory, size: "small")
        large = WorkMeters(factory, size: "large")
        recordsWritten = factory.counter(.recordsWritten)
        feedRecords = factory.counter(.feedRecords)
        replicas = ReplicaMetrics(factory)
        storage = StorageMetrics(factory)
        content = ContentMetrics(factory)
        wakes = WakeMetrics(factory)
    }

    /// Counts a request that was answered.
    func note(_ route: String, _ result: Result, _ duration: Duration) {
        durations[route]?.recordNanoseconds(duration.nanoseconds)
        let outcome = Outcome(route: route, result: result)
        let counter = requests.withLock { $0[outcome] } ?? counter(of: outcome)
        counter.increment()
    }

    /// Made when it is first needed: of all pairs of routes and results few occur.
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
    /// Whole nanoseconds; the most that there are for a time beyond them.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, isLarge) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isLarger) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        return isLarge || isLarger ? .max : sum
    }
}
