/// Stores the user's renewed token, so that the user stays signed in when the program starts again. A system's keychain
/// is one possible place. The option ``Backstitch/StoreOption/syncCredentialStore`` sets it; otherwise a store in files
/// has a ``SyncCredentialFile`` beside it.
///
/// Both calls are made on threads that may block. These are the threads of sync, and those on which the program opens
/// the store or calls ``SyncController/setCredentials(apiToken:webAuthToken:)``. Calls of ``keep(_:)`` are made in
/// order, one after the other.
public protocol SyncCredentialStore: Sendable {
    /// Returns the credential that was stored last; nil if there is none.
    func credential() throws -> SyncCredential?

    /// Stores a credential and replaces the last one; nil removes it.
    func keep(_ credential: SyncCredential?) throws
}
