import BackstitchSupport

/// A user, with the token or key of the call. Push tokens, polls, and addresses of uploads and downloads end with the
/// token or key that made them.
struct Bearer: Sendable, Hashable {
    /// The user's record name.
    var user: String
    /// The id of the token or key. For a token of the storage it is the token's id, kept across renewals. For a
    /// server-to-server key it is the key's id. For a token of the configuration it is `=` and the digest. Empty means
    /// none in particular: the things made then end with the user's last token and key.
    var credential = ""

    /// The credential of a token of the configuration: `=` and its digest.
    static func configured(_ token: TokenDigest) -> String { "=\(token.bytes.base64URL)" }

    /// Whether the credential is a token of the configuration.
    var isOfConfiguration: Bool { credential.utf8.first == UInt8(ascii: "=") }

    static func == (left: Bearer, right: Bearer) -> Bool {
        left.user.isSame(as: right.user) && left.credential.isSame(as: right.credential)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(ByteText(user))
        hasher.combine(ByteText(credential))
    }
}
