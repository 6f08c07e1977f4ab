import BackstitchSupport
import Foundation

extension Date {
    /// Milliseconds since 1970; 0 if a 64-bit integer cannot hold them.
    var milliseconds: Int64 { Int64(exactly: (timeIntervalSince1970 * 1000).rounded()) ?? 0 }

    /// The date of a row's milliseconds since 1970.
    init(milliseconds: Int64) { self.init(timeIntervalSince1970: Double(milliseconds) / 1000) }

    /// The end in a row; nil for 0, which means never.
    static func end(milliseconds: Int64) -> Date? { milliseconds == 0 ? nil : Date(milliseconds: milliseconds) }

    /// Whether it is later than a time in milliseconds since 1970.
    func isAhead(of now: Int64) -> Bool { Double(now) < timeIntervalSince1970 * 1000 }
}
