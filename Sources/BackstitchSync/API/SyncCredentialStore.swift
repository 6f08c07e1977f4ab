/// Keeps the token that a server gives in place of the one that it was asked with, so that the user stays signed in
/// when the program starts again: in the keychain of the system, for instance. Given by the option
/// ``Backstitch/StoreOption/syncCredentialStore``; otherwise a store in files has a ``SyncCredentialFile`` beside it.
///
/// Both calls come from threads that may block: those of sync, and those on which the program opens the store or calls
/// ``SyncController/setCredentials(apiToken:webAuthToken:)``. What is kept comes in order, one after the other.
public protocol SyncCredentialStore: Sendable {
    /// Returns the credential that was kept last; nil when none is.
    func credential() throws -> SyncCredential?

    /// Keeps a credential in place of the last one; nil keeps none.
    func keep(_ credential: SyncCredential?) throws
}

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
