import BackstitchSupport
import Foundation

/// How APNs has answered a push, as Apple's "Handling notification responses from APNs" has it.
enum APNsAnswer: Sendable, Equatable {
    /// It is on its way.
    case accepted
    /// No app on any device has the token any more, since a time (milliseconds since 1970) if APNs says one.
    case unregistered(since: Int64?)
    /// The provider's own token has ended.
    case expiredToken
    /// Another attempt may do better, after so many milliseconds if APNs says so.
    case again(reason: String, after: Int64?)
    /// The same request will not do better.
    case refused(reason: String)

    private struct Body: Decodable {
        var reason: String?
        var timestamp: Int64?
    }

    /// - Parameters:
    ///   - body: JSON with a reason; empty for a push that was taken.
    ///   - retryAfter: The header `Retry-After`, in seconds.
    init(status: Int, body: [UInt8], retryAfter: String?) {
        // A proxy answers in words of its own: then the status alone counts.
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
