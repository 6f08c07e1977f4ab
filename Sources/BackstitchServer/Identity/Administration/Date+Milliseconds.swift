import BackstitchSupport
import Foundation

extension Date {
    /// Milliseconds since 1970; 0 if a 64-bit integer cannot hold them.
    var milliseconds: Int64 { Int64(exactly: (timeIntervalSince1970 * 1000).rounded()) ?? 0 }
}
