public import Foundation

extension Date {
    /// Makes a date from milliseconds since 1970.
    public init(milliseconds: Int64) {
        self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
    }

    /// Milliseconds since 1970, rounded to the nearest; a date outside `Int64`'s range gives its nearest end, NaN gives
    /// 0.
    public var milliseconds: Int64 {
        let rounded = (timeIntervalSince1970 * 1000).rounded()
        guard rounded == rounded else { return 0 }
        return Int64(exactly: rounded) ?? (rounded < 0 ? .min : .max)
    }

    /// The date as Backstitch keeps it. Dates have millisecond precision in objects, in every store and on the wire, so
    /// a value stays equal to itself everywhere.
    public var roundedToMilliseconds: Date { Date(milliseconds: milliseconds) }
}
