/// The type of a metric, as the text format calls it.
enum PrometheusKind: String, Sendable {
    case counter, gauge, histogram
}
