import Backstitch

extension JournalWriting {
    /// Lets changes be sent again after a wait: for the upload of an asset (``SyncNotes/heldUpload``), or for another
    /// token (``SyncNotes/unauthorized``). If the cause still holds, they wait again after the next push.
    func unblock(_ cause: SyncNotes<ObjectKey, Bool>) throws {
        let keys = try subjects(of: cause)
        guard !keys.isEmpty else { return }
        try putOutbox(try outbox(for: keys).values.filter { $0.blockedReason != nil }.map(\.unblocked))
        try removeNotes(cause)
    }
}
