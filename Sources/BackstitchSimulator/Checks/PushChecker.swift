package import BackstitchServer

/// Checks two rules: a push with a key is carried out once, and change tokens move forward.
package struct PushChecker {
    private var commits: [String: Int] = [:]
    /// The server's time of each push without a sync token. The server recognises such a push only while it keeps the
    /// answer.
    private var datesOfTokenless: [String: Int64] = [:]
    private var positions: [String: FeedPosition] = [:]

    package init() {}

    /// Called when a push with a key was answered.
    ///
    /// - Parameter hasCommitted: Whether the push has moved the zone's feed.
    /// - Parameter tokenless: The server's time, for a push without a sync token; nil for others.
    /// - Returns: The fault found; nil when there is none.
    package mutating func answered(_ key: String, hasCommitted: Bool, tokenless: Int64? = nil) -> String? {
        guard hasCommitted else { return nil }
        commits[key, default: 0] += 1
        datesOfTokenless[key] = tokenless
        return commits[key] == 2 ? "the push \(key.prefix(8)) was carried out twice" : nil
    }

    /// Called when the server has dropped the answers kept before a time. It still must not repeat a push with a sync
    /// token.
    package mutating func forgotAnswers(before time: Int64) {
        for (key, date) in datesOfTokenless where date < time {
            commits[key] = nil
            datesOfTokenless[key] = nil
        }
    }

    /// Whether a push with a key was carried out and the server may still know it.
    package func hasCommitted(_ key: String) -> Bool { commits[key] != nil }

    /// Called when a power cut has taken a device back to an earlier position.
    package mutating func wentBack(_ device: String, to position: FeedPosition?) { positions[device] = position }

    /// Called when a device has stored a token; nil for none.
    ///
    /// - Returns: The fault found; nil when there is none.
    package mutating func stored(_ device: String, _ position: FeedPosition?) -> String? {
        defer { positions[device] = position }
        guard let position, let before = positions[device], before.epoch == position.epoch,
            position.sequence < before.sequence
        else { return nil }
        return "\(device)'s token has gone back from \(before.sequence) to \(position.sequence)"
    }
}
