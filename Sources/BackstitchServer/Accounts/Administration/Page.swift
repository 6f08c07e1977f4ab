import BackstitchSupport
import CloudWire

/// One page of a list, with the mark for the next one.
package struct Page<Line: Codable & Sendable>: Codable, Sendable {
    package var lines: [Line]
    /// The mark for the request of the next page; nil on the last page.
    package var next: String?

    /// - Parameter lines: One more than the limit if there are further ones.
    /// - Parameter mark: The value that orders the list.
    init(_ lines: [Line], limit: Int, mark: (Line) -> String) {
        self.lines = Array(lines.prefix(limit))
        next = lines.count > limit ? self.lines.last.map(mark) : nil
    }
}
