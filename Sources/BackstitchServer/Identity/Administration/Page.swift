import BackstitchSupport
import CloudWire

/// A part of a list.
package struct Page<Line: Codable & Sendable>: Codable, Sendable {
    package var lines: [Line]
    /// The mark with which to ask for the lines after these; nil when these are the last ones.
    package var next: String?

    /// - Parameters:
    ///   - lines: One more than the limit when there are more.
    ///   - mark: The value by which the list is ordered.
    init(_ lines: [Line], limit: Int, mark: (Line) -> String) {
        self.lines = Array(lines.prefix(limit))
        next = lines.count > limit ? self.lines.last.map(mark) : nil
    }
}
