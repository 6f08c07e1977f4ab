import Backstitch
import BackstitchSupport

/// The user whose a store's zones are becomes another one.
struct ChangeOfAccount: Sendable {
    let former: String
    /// Nil where nobody else has signed in.
    let next: String?

    /// - Throws: ``SyncFailure`` of the kind `superseded` where another process has seen to it before.
    func write(to journal: any JournalWriting) throws {
        guard try journal.value(of: .account) == former else { throw SyncGeneration.superseded }
        if let next { try journal.set(.account, to: next) }
    }
}
