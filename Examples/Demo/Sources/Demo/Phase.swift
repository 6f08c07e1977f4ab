import Foundation

/// The figures of a finished phase, and their line in the report.
struct Phase: Sendable {
    let title: String
    let objects: Int
    let duration: Duration

    var seconds: Double { Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18 }

    var line: String {
        let rate = seconds > 0 ? Int(Double(objects) / seconds) : 0
        return title.padding(toLength: 28, withPad: " ", startingAt: 0)
            + Self.right("\(objects)", 9) + Self.right(String(format: "%.2f s", seconds), 12)
            + Self.right(objects > 0 ? "\(rate)/s" : "", 12)
    }

    static func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(1, width - text.count)) + text
    }
}
