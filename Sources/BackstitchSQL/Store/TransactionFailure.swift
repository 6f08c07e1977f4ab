/// A transaction that ended otherwise than by its own work.
package struct TransactionFailure: Error, CustomStringConvertible {
    /// How far it came.
    package enum Kind: Sendable {
        /// The connection broke while it was being committed: nobody knows whether it was. What it wrote tells.
        case unknown
        /// Others were in the way for too long, or the database was away; nothing of it was stored.
        case busy
        /// The disk had no room for it; nothing of it was stored.
        case full
        /// The database has undone all of it, with whatever went before in the same transaction.
        case undone
    }

    /// How far it came.
    package let kind: Kind
    /// The error that tells more.
    package let cause: any Error

    /// A failure with its cause.
    package init(_ kind: Kind, cause: any Error) {
        self.kind = kind
        self.cause = cause
    }

    /// The failure and its cause.
    package var description: String {
        switch kind {
        case .unknown: "nobody knows whether the transaction was committed: \(cause)"
        case .busy: "the transaction was not stored, and may be tried again: \(cause)"
        case .full: "the disk is full, and nothing was stored: \(cause)"
        case .undone: "the database has undone the transaction: \(cause)"
        }
    }
}
