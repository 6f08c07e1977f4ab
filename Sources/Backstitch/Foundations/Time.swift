public import Foundation

/// Where Backstitch takes the time from, so that tests and the simulator can give their own.
public protocol WallClock: Sendable {
    /// Milliseconds since 1970-01-01 00:00 UTC.
    func milliseconds() -> Int64
}

extension WallClock {
    /// The time as a date, exact to the millisecond.
    public func now() -> Date { Date(milliseconds: milliseconds()) }
}

/// The machine's clock.
public struct SystemClock: WallClock {
    /// The machine's clock.
    public init() {}
    /// Milliseconds since 1970, by the machine.
    public func milliseconds() -> Int64 { Date().milliseconds }
}

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

    /// The date as Backstitch keeps it. Dates have millisecond precision in objects, in every store and on the wire alike,
    /// so that a value is equal to itself wherever it travelled.
    public var roundedToMilliseconds: Date { Date(milliseconds: milliseconds) }
}
