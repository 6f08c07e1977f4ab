/// A token that a server has given. It never goes into messages or logs.
public struct SyncCredential: Sendable, Hashable, Codable, CustomStringConvertible, CustomReflectable {
    /// The token by which the server knows the user from now on.
    public var webAuthToken: String
    /// Names server, container and the token of the program from which this one descends, without giving any of them
    /// away: another one from the program takes its place.
    public var origin: String

    /// A token and what it descends from.
    public init(webAuthToken: String, origin: String) {
        self.webAuthToken = webAuthToken
        self.origin = origin
    }

    /// Says nothing of the token.
    public var description: String { "SyncCredential(hidden)" }

    /// Shows nothing of the token.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
