import BackstitchSupport
import Foundation

extension Date {
    /// Milliseconds since 1970, of dates that a number of 64 bits can say.
    var milliseconds: Int64 { Int64(exactly: (timeIntervalSince1970 * 1000).rounded()) ?? 0 }
}
