package import BackstitchServer

/// Pushes with one key are carried out once, and change tokens move forward.
package struct PushChecker {
    private var commits: [String: Int] = [:]
    /// When pushes were carried out, by the server's clock, that do not say how far their sender has read: of these the
    /// kept answer alone tells the server that it knows them.
    private var datesOfTokenless: [String: Int64] = [:]
    private var positions: [String: FeedPosition] = [:]

    package init() {}

    /// A push with a key was answered.
    ///
    /// - Parameters:
    ///   - hasCommitted: Whether the zone has moved by it.
    ///   - tokenless: The time of the server's clock, for a push that does not say how far its sender has read; nil for
    ///     others.
    /// - Returns: The fault in that; nil when there is none.
    package mutating func answered(_ key: String, hasCommitted: Bool, tokenless: Int64? = nil) -> String? {
        guard hasCommitted else { return nil }
        commits[key, default: 0] += 1
        datesOfTokenless[key] = tokenless
        return commits[key] == 2 ? "the push \(key.prefix(8)) was carried out twice" : nil
    }

    /// The server forgets the answers that it has kept since before a time. A push that says how far its sender has
    /// read must not be carried out again even then.
    package mutating func forgotAnswers(before time: Int64) {
        for (key, date) in datesOfTokenless where date < time {
            commits[key] = nil
            datesOfTokenless[key] = nil
        }
    }

    /// Whether a push with a key was carried out, and the server may know that.
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
