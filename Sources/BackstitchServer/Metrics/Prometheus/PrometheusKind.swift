/// The type of a metric, in the words of the text format.
enum PrometheusKind: String, Sendable {
    case counter, gauge, histogram
}
