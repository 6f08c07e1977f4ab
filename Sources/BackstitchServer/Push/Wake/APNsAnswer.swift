import BackstitchSupport
import Foundation

/// The answer of APNs to a push, by Apple's "Handling notification responses from APNs".
enum APNsAnswer: Sendable, Equatable {
    /// APNs has accepted the push.
    case accepted
    /// No app on any device has the token any more. The time is in milliseconds since 1970, if APNs names one.
    case unregistered(since: Int64?)
    /// The provider's own token has ended.
    case expiredToken
    /// Another attempt may succeed. The wait is in milliseconds, if APNs names one.
    case again(reason: String, after: Int64?)
    /// The same request will not succeed later.
    case refused(reason: String)

    private struct Body: Decodable {
        var reason: String?
        var timestamp: Int64?
    }

    /// - Parameter body: JSON with a reason; empty for an accepted push.
    /// - Parameter retryAfter: The header `Retry-After`, in seconds.
    init(status: Int, body: [UInt8], retryAfter: String?) {
        // A proxy answers in words of its own. Then only the status counts.
        let said = try? JSONDecoder().decode(Body.self, from: Data(body))
        let reason = said?.reason.map { $0.shown(80) } ?? "status \(status)"
        let wait = retryAfter.flatMap { Int64($0) }.map { min(max($0, 0), 3_600) * 1_000 }
        self =
            switch (status, reason) {
            case (200, _): .accepted
            case (410, _), (400, "Unregistered"): .unregistered(since: said?.timestamp)
            case (400, "BadDeviceToken"): .unregistered(since: nil)
            case (403, "ExpiredProviderToken"): .expiredToken
            case (429, _), (500, _), (502, _), (503, _), (504, _): .again(reason: reason, after: wait)
            default: .refused(reason: reason)
            }
    }
}
