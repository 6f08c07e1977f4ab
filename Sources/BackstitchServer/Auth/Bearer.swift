import BackstitchSupport

/// A user, and the token or key by which the user called. What was made by that call ends with the token or key: push
/// tokens, polls and upload addresses.
struct Bearer: Sendable, Hashable {
    /// The user's record name.
    var user: String
    /// The id of a token of the storage, which stays when the token is renewed; the id of a server-to-server key; for a
    /// token of the configuration `=` and its digest. Empty for none in particular: what was made then ends with the
    /// user's last token and key.
    var credential = ""

    /// Names a token of the configuration.
    static func configured(_ token: TokenDigest) -> String { "=\(token.bytes.base64URL)" }

    /// Whether the token is one of a configuration, of which servers know.
    var isOfConfiguration: Bool { credential.utf8.first == UInt8(ascii: "=") }

    static func == (left: Bearer, right: Bearer) -> Bool {
        left.user.isSame(as: right.user) && left.credential.isSame(as: right.credential)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(ByteText(user))
        hasher.combine(ByteText(credential))
    }
}
