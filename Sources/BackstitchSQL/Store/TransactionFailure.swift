/// A transaction that was ended by something other than its own work.
package struct TransactionFailure: Error, CustomStringConvertible {
    /// The state of the transaction after the failure.
    package enum Kind: Sendable {
        /// The connection broke during the commit, so it is unknown whether it was committed. The written data shows
        /// it.
        case unknown
        /// Others blocked it for too long, or the database was away. Nothing of it was stored.
        case busy
        /// The disk was full. Nothing of it was stored.
        case full
        /// The database has undone all of it, with all earlier statements of the transaction.
        case undone
    }

    /// The state of the transaction after the failure.
    package let kind: Kind
    /// The error with the cause.
    package let cause: any Error

    /// Creates a failure with its cause.
    package init(_ kind: Kind, cause: any Error) {
        self.kind = kind
        self.cause = cause
    }

    /// A sentence about the failure, with its cause.
    package var description: String {
        switch kind {
        case .unknown: "it is not known whether the transaction was committed: \(cause)"
        case .busy: "the transaction was not stored, and may be tried again: \(cause)"
        case .full: "the disk is full, and nothing was stored: \(cause)"
        case .undone: "the database has undone the transaction: \(cause)"
        }
    }
}
