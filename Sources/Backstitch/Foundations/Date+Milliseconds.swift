public import Foundation

extension Date {
    /// A date from milliseconds since 1970.
    public init(milliseconds: Int64) {
        self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
    }

    /// Milliseconds since 1970, rounded to the nearest; a date outside `Int64`'s range is clamped to its ends.
    public var milliseconds: Int64 {
        let rounded = (timeIntervalSince1970 * 1000).rounded()
        guard rounded == rounded else { return 0 }
        return Int64(exactly: rounded) ?? (rounded < 0 ? .min : .max)
    }

    /// The date as Backstitch keeps it. Dates have millisecond precision in objects, in every store and on the wire
    /// alike, so that a value is equal to itself wherever it travelled.
    public var roundedToMilliseconds: Date { Date(milliseconds: milliseconds) }
}
