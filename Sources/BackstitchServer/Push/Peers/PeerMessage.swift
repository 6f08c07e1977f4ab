import BackstitchSupport

/// One server's news to the others of its storage: the users with changed subscriptions. A receiver looks for the
/// changes itself, so the message need say no more.
///
/// The text has lines: the server's number, then the users. Users' names have no control characters. A number without
/// users means all users.
struct PeerMessage: Sendable, Hashable {
    /// An entry among the users: some accounts, tokens or keys have changed. No user has this name.
    static let identities = "\u{1}identities"
    /// Most bytes of one notification of a database, with room to spare.
    static let limit = 7_900
    /// Most texts of a message. Instead of more, one text is sent that means all users.
    static let count = 16

    var server: Int64
    /// The users with changes; nil for all.
    var users: Set<String>?

    init(server: Int64, users: Set<String>?) {
        self.server = server
        self.users = users
    }

    /// Reads a message; nil for text of another form.
    init?(_ text: String) {
        let lines = text.split(atByte: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard let server = lines.first.flatMap({ Int64($0) }) else { return nil }
        self.init(server: server, users: lines.count == 1 ? nil : Set(lines.dropFirst().map(String.init)))
    }

    /// The message as texts, each within the limit.
    var texts: [String] {
        let all = "\(server)"
        guard let users else { return [all] }
        var texts: [String] = [], text = all
        for user in users.sorted() {
            if text.utf8.count + 1 + user.utf8.count > Self.limit {
                texts.append(text)
                text = all
            }
            text += "\n" + user
        }
        if text != all { texts.append(text) }
        return texts.count > Self.count ? [all] : texts
    }
}
