import BackstitchSupport

/// One server's news to the others of its storage: users of whose subscriptions something has changed. Who hears it
/// looks, so it need say no more.
///
/// A text of lines: the server's number, then the users, whose names have no control characters; a server without
/// users means all of them.
struct NeighbourMessage: Sendable, Hashable {
    /// Stands among the users for accounts, tokens and keys: some have changed. No user is called so.
    static let identities = "\u{1}identities"
    /// The bytes that a database takes in a notification, with room to spare.
    static let limit = 7_900
    /// Texts beyond which one is sent that means all users.
    static let count = 16

    var server: Int64
    /// Nil for all.
    var users: Set<String>?

    init(server: Int64, users: Set<String>?) {
        self.server = server
        self.users = users
    }

    /// Reads a text; nil for one that no server has sent.
    init?(_ text: String) {
        let lines = text.split(atByte: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard let server = lines.first.flatMap({ Int64($0) }) else { return nil }
        self.init(server: server, users: lines.count == 1 ? nil : Set(lines.dropFirst().map(String.init)))
    }

    /// The texts that say it, each short enough.
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
