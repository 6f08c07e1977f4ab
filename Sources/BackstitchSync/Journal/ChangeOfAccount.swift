import Backstitch
import BackstitchSupport

/// A change of the user who owns a store's zones.
struct ChangeOfAccount: Sendable {
    let former: String
    /// The new user; nil if none has signed in.
    let next: String?

    /// Writes the new account.
    ///
    /// - Throws: ``SyncFailure`` of the kind `superseded` if another process has handled the change before.
    func write(to journal: any JournalWriting) throws {
        guard try journal.value(of: .account) == former else { throw SyncGeneration.superseded }
        if let next { try journal.set(.account, to: next) }
    }
}
