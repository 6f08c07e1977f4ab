package import BackstitchServer

/// Pushes with one key are carried out once, and change tokens move forward.
package struct PushChecker {
    private var commits: [String: Int] = [:]
    private var positions: [String: FeedPosition] = [:]

    package init() {}

    /// A push with a key was answered.
    ///
    /// - Parameter hasCommitted: Whether the zone has moved by it.
    /// - Returns: The fault in that; nil when there is none.
    package mutating func answered(_ key: String, hasCommitted: Bool) -> String? {
        guard hasCommitted else { return nil }
        commits[key, default: 0] += 1
        return commits[key] == 2 ? "the push \(key.prefix(8)) was carried out twice" : nil
    }

    /// Whether a push with a key was carried out.
    package func hasCommitted(_ key: String) -> Bool { commits[key] != nil }

    /// A power cut has taken a device back to where it stood before.
    package mutating func wentBack(_ device: String, to position: FeedPosition?) { positions[device] = position }

    /// A device has stored a token; nil for none.
    ///
    /// - Returns: The fault in that; nil when there is none.
    package mutating func stored(_ device: String, _ position: FeedPosition?) -> String? {
        defer { positions[device] = position }
        guard let position, let before = positions[device], before.epoch == position.epoch,
            position.sequence < before.sequence
        else { return nil }
        return "\(device)'s token has gone back from \(before.sequence) to \(position.sequence)"
    }
}
