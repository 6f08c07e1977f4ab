/// Names, labels and numbers in the form required by the text format.
///
/// <https://prometheus.io/docs/instrumenting/exposition_formats/>
enum PrometheusName {
    /// The name, with `_` for each character not allowed in a metric's name.
    static func metric(_ name: String) -> String { cleaned(name) { $0 == UInt8(ascii: ":") } }

    /// The labels, without braces, in the order of their names. If two have one name, the first counts. `le` is
    /// reserved for histograms.
    static func labels(_ dimensions: [(String, String)]) -> String {
        var seen: Set<String> = []
        return dimensions.map { (name: label($0.0), value: $0.1) }
            .filter { seen.insert($0.name).inserted }
            .sorted { $0.name < $1.name }
            .map { "\($0.name)=\"\(escaped($0.value))\"" }
            .joined(separator: ",")
    }

    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        return value == value.rounded() && abs(value) < 1e15 ? String(Int64(value)) : "\(value)"
    }

    /// A help text, escaped to fit into one line.
    static func help(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
    }

    private static func label(_ name: String) -> String {
        let clean = cleaned(name) { _ in false }
        // Names with two leading underscores are reserved for Prometheus.
        return clean.hasPrefix("__") || clean == "le" ? "label_" + clean : clean
    }

    private static func escaped(_ value: String) -> String {
        help(value).replacing("\"", with: "\\\"")
    }

    private static func cleaned(_ name: String, _ isAllowed: (UInt8) -> Bool) -> String {
        let bytes = name.utf8.map { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"): byte
            default: isAllowed(byte) ? byte : UInt8(ascii: "_")
            }
        }
        let text = String(decoding: bytes, as: UTF8.self)
        return text.first?.isNumber ?? true ? "_" + text : text
    }
}
