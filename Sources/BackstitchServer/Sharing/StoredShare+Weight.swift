import BackstitchSupport
import CloudWire

extension StoredShare {
    /// The maximum bytes of the participants in an answer. The owner and the caller occur twice there.
    var weight: Int {
        participants.reduce(0) { $0 + $1.weight } + 2 * (participants.lazy.map(\.weight).max() ?? 0)
    }
}

extension StoredParticipant {
    /// The maximum bytes of one participant in an answer.
    fileprivate var weight: Int {
        let names = names.parts
        // The keys, and all values of almost constant size.
        let frame = 300 + 30 * names.count
        let user = Self.bytes(user), found = max(user, Self.bytes(emailAddress))
        return frame + user + found + Self.bytes(publicKey) + names.reduce(0) { $0 + Self.bytes($1) }
    }

    /// The bytes of a text as JSON.
    private static func bytes(_ text: String?) -> Int {
        (text ?? "").utf8.reduce(0) { $0 + ($1 < 0x20 ? 6 : $1 == 0x22 || $1 == 0x5C || $1 == 0x2F ? 2 : 1) }
    }
}
