extension String {
    mutating func writePrometheusHead(_ name: String, _ kind: PrometheusKind, help: String?) {
        if let help { self += "# HELP \(name) \(PrometheusName.help(help))\n" }
        self += "# TYPE \(name) \(kind.rawValue)\n"
    }

    mutating func writePrometheusSample(_ name: String, _ labels: String, _ value: String) {
        self += labels.isEmpty ? "\(name) \(value)\n" : "\(name){\(labels)} \(value)\n"
    }
}
