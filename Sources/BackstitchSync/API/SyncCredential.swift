/// A token that a server has issued. It is never written to messages or logs.
public struct SyncCredential: Sendable, Hashable, Codable, CustomStringConvertible, CustomReflectable {
    /// The token that identifies the user to the server from now on.
    public var webAuthToken: String
    /// Identifies the server, the container and the program's first token, without revealing them. A new token from the
    /// program replaces this one.
    public var origin: String

    /// Creates a credential from a token and its origin.
    public init(webAuthToken: String, origin: String) {
        self.webAuthToken = webAuthToken
        self.origin = origin
    }

    /// A fixed text that does not reveal the token.
    public var description: String { "SyncCredential(hidden)" }

    /// An empty mirror, so that reflection does not reveal the token.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
