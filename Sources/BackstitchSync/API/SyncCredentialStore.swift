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
